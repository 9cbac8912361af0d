import {
  to = rightsize_checkpoint.orders
  id = "orders-seeded"
}
