output "port" {
  description = "The host port of the database."
  value       = rightsize_container.database.mapped_ports["5432"]
}

output "notes" {
  description = "How many notes the database has. What commands print is sensitive until you say otherwise."
  value       = tonumber(trimspace(nonsensitive(rightsize_exec.count.stdout)))
}

output "dump" {
  description = "The dump, and its SHA-256."
  value       = "${rightsize_file_copy.dump.destination} ${rightsize_file_copy.dump.sha256}"
}
