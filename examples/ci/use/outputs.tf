output "uri" {
  description = "The connection URI of this job's copy, password included."
  value       = rightsize_container.orders.connection_uri
  sensitive   = true
}
