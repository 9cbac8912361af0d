# Takes back whatever was done to the database: terraform apply -invoke=action.rightsize_container_reset.orders
action "rightsize_container_reset" "orders" {
  config {
    container_id = rightsize_container.orders.name
    save_as      = "orders-before-reset"
    wait_for     = { log = { pattern = "ready to accept connections" } }
  }
}

resource "rightsize_container" "orders" {
  name            = "orders"
  from_checkpoint = "orders-seeded"
  wait_for        = { log = { pattern = "ready to accept connections" } }
}
