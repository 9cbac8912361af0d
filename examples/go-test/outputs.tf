output "uris" {
  description = "A connection URI for each copy, password included. The tests read it."
  value       = { for name, container in rightsize_container.orders : name => container.connection_uri }
  sensitive   = true
}
