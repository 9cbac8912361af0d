resource "rightsize_network" "shop" {
  name = "shop"
}

# The database is "db" to every container on the network.
resource "rightsize_container" "database" {
  from_checkpoint = "orders-seeded"
  networks        = [{ name = rightsize_network.shop.id, aliases = ["db"] }]
}

resource "rightsize_container" "app" {
  image         = "example.com/shop/app:1.0"
  env           = { DATABASE_HOST = "db" }
  exposed_ports = [8080]
  networks      = [{ name = rightsize_network.shop.id }]
  depends_on    = [rightsize_container.database]
}
