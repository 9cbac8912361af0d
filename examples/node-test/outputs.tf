output "uris" {
  description = "A connection URI for each copy. The tests read it."
  value       = { for name, container in rightsize_container.sessions : name => container.connection_uri }
  sensitive   = true
}
