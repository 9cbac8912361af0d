# Each of them with its password: terraform output -raw postgres_uri

output "postgres_uri" {
  description = "The connection URI of PostgreSQL."
  value       = rightsize_container.postgres.connection_uri
  sensitive   = true
}

output "mariadb_uri" {
  description = "The connection URI of MariaDB."
  value       = rightsize_container.mariadb.connection_uri
  sensitive   = true
}

output "redis_uri" {
  description = "The connection URI of Redis."
  value       = rightsize_container.redis.connection_uri
  sensitive   = true
}
