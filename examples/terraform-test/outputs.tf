output "customers" {
  description = "How many customers the migrations made of the orders."
  value       = tonumber(trimspace(nonsensitive(rightsize_exec.query["customers"].stdout)))
}

output "orphans" {
  description = "How many orders they left without a customer."
  value       = tonumber(trimspace(nonsensitive(rightsize_exec.query["orphans"].stdout)))
}

output "uri" {
  description = "The connection URI of the copy."
  value       = rightsize_container.orders.connection_uri
  sensitive   = true
}
