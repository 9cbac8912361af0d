output "work_port" {
  description = "The host port of the database to work in. A reset does not change it."
  value       = rightsize_container.work.mapped_ports["5432"]
}

output "before_port" {
  description = "The host port of the database with what was there before the last reset."
  value       = one([for c in rightsize_container.before : c.mapped_ports["5432"]])
}
