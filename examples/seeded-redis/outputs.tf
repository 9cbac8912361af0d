output "port" {
  description = "The host port of the seeded Redis."
  value       = rightsize_container.sessions.mapped_ports["6379"]
}
