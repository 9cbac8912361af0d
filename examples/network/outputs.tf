output "url" {
  description = "Where the app answers with the number of carts that the database holds."
  value       = "http://${rightsize_container.app.host}:${rightsize_container.app.mapped_ports["8080"]}/cgi-bin/carts"
}
