# Keeps what a database holds at this moment: terraform apply -invoke=action.rightsize_checkpoint_save.orders
action "rightsize_checkpoint_save" "orders" {
  config {
    container_id = rightsize_container.orders.container_id
    name         = "orders-before-release"
  }
}

resource "rightsize_container" "orders" {
  name            = "orders"
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
}
