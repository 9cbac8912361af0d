data "rightsize_checkpoint" "orders" {
  name = "orders-seeded"
}

resource "rightsize_container" "orders" {
  from_checkpoint = data.rightsize_checkpoint.orders.id
}
