output "containers" {
  description = "The containers of the engine, and whether this provider made them."
  value       = { for c in data.rightsize_containers.all.containers : c.name => c.managed }
}

output "checkpoints" {
  description = "The checkpoints of this host, and when they were captured."
  value       = { for c in data.rightsize_checkpoints.all.checkpoints : c.name => c.created_at }
}
