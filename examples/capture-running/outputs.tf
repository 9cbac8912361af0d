output "work_port" {
  description = "The host port of the database to work in."
  value       = rightsize_container.work.mapped_ports["5432"]
}

output "copy_port" {
  description = "The host port of the copy."
  value       = rightsize_container.copy.mapped_ports["5432"]
}

output "saved_at" {
  description = "When the save point was captured."
  value       = rightsize_checkpoint.save_point.created_at
}
