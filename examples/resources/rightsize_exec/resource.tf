# A migration of a database that runs. It runs again when its SQL changes, and in
# the fresh database after a reset; on_destroy takes it back.
resource "rightsize_exec" "migrate" {
  container_id = rightsize_container.orders.container_id
  command      = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE notes (body text)"]

  on_destroy = {
    command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c", "DROP TABLE notes"]
  }
}

# A value that is read back once the migration is through.
resource "rightsize_exec" "count" {
  container_id = rightsize_container.orders.container_id
  command      = ["psql", "-U", "postgres", "-At", "-c", "SELECT count(*) FROM notes"]
  triggers     = { after = rightsize_exec.migrate.id }
}

resource "rightsize_container" "orders" {
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
}

output "notes" {
  value = tonumber(trimspace(nonsensitive(rightsize_exec.count.stdout)))
}
