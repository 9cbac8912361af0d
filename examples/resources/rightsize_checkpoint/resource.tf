# From a container that lives only as long as seeding takes.
resource "rightsize_checkpoint" "orders" {
  name = "orders-seeded"

  seed = {
    image  = "postgres:16-alpine"
    env    = { POSTGRES_PASSWORD = var.password }
    preset = "postgres"
    files  = [{ path = "/seed/schema.sql", source = "${path.module}/schema.sql" }]
    exec   = [{ command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "/seed/schema.sql"] }]
  }

  triggers = { migrations = var.migrations }
}

# From a container that runs.
resource "rightsize_checkpoint" "save_point" {
  name         = "save-point"
  container_id = "my-database"
}

variable "password" {
  type      = string
  sensitive = true
}

variable "migrations" {
  type    = string
  default = "42"
}
