output "checkpoint" {
  description = "Which capture the copies were started from."
  value       = rightsize_checkpoint.orders.id
}

output "ports" {
  description = "The host port of each copy."
  value       = [for c in rightsize_container.orders : c.mapped_ports["5432"]]
}

output "psql" {
  description = "A command for each copy. PGPASSWORD spares the question for the password."
  value       = [for c in rightsize_container.orders : "psql -h ${c.host} -p ${c.mapped_ports["5432"]} -U postgres"]
}

output "uris" {
  description = "A connection URI for each copy, password included: terraform output -json uris."
  value       = rightsize_container.orders[*].connection_uri
  sensitive   = true
}
