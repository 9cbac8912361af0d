import {
  to = rightsize_checkpoint.orders
  identity = {
    name = "orders-seeded"
  }
}
