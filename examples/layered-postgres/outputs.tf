output "ports" {
  description = "The host port of each tenant's database."
  value       = { for name, c in rightsize_container.tenant : name => c.mapped_ports["5432"] }
}

output "layers" {
  description = "How many layers each checkpoint has, the image's included."
  value = {
    schema    = rightsize_checkpoint.schema.layers
    reference = rightsize_checkpoint.reference.layers
    tenants   = { for name, c in rightsize_checkpoint.tenant : name => c.layers }
  }
}
