import {
  to = rightsize_network.shop
  id = "shop"
}
