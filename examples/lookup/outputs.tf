output "seeded" {
  description = "Whether the database started from the checkpoint."
  value       = data.rightsize_checkpoint.orders.exists
}

output "captured_at" {
  description = "When the checkpoint was captured; null if there is none."
  value       = data.rightsize_checkpoint.orders.created_at
}

output "port" {
  description = "The database's host port."
  value       = rightsize_container.orders.mapped_ports["5432"]
}
