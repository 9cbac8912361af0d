output "urls" {
  description = "Where each copy serves the page that was made while seeding."
  value       = [for c in rightsize_container.site : "http://${c.host}:${c.mapped_ports["8080"]}/loud.html"]
}
