import {
  to = rightsize_container.orders
  identity = {
    name = "orders"
  }
}
