import {
  to = rightsize_container.orders
  id = "orders"
}
