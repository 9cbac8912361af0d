output "url" {
  description = "Where the preview is served."
  value       = "http://${rightsize_container.preview.host}:${rightsize_container.preview.mapped_ports["8080"]}/index.html"
}

output "checkpoints" {
  description = "What there is on this host: how old it is, how big, and until when it is wanted."
  value = {
    for c in data.rightsize_checkpoints.all.checkpoints : c.name => {
      age_hours  = c.age_hours
      size_mb    = try(ceil(c.size_bytes / 1000000), null)
      expires_at = c.expires_at
      expired    = c.expired
    }
  }
}

output "total_mb" {
  description = "The size of all of them. What they have in common is counted for each."
  value       = ceil(data.rightsize_checkpoints.all.total_size_bytes / 1000000)
}
