output "url" {
  description = "Where the last file that the job wrote is served."
  value       = "http://${rightsize_container.catalog.host}:${rightsize_container.catalog.mapped_ports["8080"]}/1000.json"
}
