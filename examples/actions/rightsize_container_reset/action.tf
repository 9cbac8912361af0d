# Takes back whatever was done to the database: terraform apply -invoke=action.rightsize_container_reset.orders
action "rightsize_container_reset" "orders" {
  config {
    container_id = rightsize_container.orders.name
    save_as      = "orders-before-reset"
    preset       = "postgres"
  }
}

resource "rightsize_container" "orders" {
  name            = "orders"
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
}
