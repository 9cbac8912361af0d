# Whenever it is wanted: terraform apply -invoke=action.rightsize_exec.vacuum
action "rightsize_exec" "vacuum" {
  config {
    container_id = rightsize_container.orders.container_id
    command      = ["psql", "-U", "postgres", "-c", "VACUUM ANALYZE"]
  }
}

resource "rightsize_container" "orders" {
  name            = "orders"
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
}
