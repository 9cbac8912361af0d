output "ports" {
  description = "The host ports of the copies."
  value       = [for c in rightsize_container.sessions : c.mapped_ports["6379"]]
}

output "pause_ms" {
  description = "How long the seed stood still for its capture, in milliseconds."
  value       = rightsize_checkpoint.sessions.pause_ms
}

output "resumes" {
  description = "What a copy must have to go on from the captured memory."
  value       = rightsize_checkpoint.sessions.resumes
}
