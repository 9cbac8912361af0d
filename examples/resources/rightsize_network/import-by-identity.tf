import {
  to = rightsize_network.shop
  identity = {
    name = "shop"
  }
}
