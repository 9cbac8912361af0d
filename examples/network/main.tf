# An app and the database that it needs: a copy of a checkpoint, which the app
# reaches by its alias, as it would in production.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {
  backend = "docker" # microVMs cannot be joined by a network
}

resource "rightsize_network" "shop" {
  name = var.name
}

resource "rightsize_checkpoint" "carts" {
  name = var.name

  seed = {
    image         = var.database_image
    exposed_ports = [6379]
    files         = [{ path = "/seed/carts.redis", source = "${path.module}/carts.redis" }]
    wait_for      = { exec = { command = ["redis-cli", "ping"] } }

    exec = [
      { command = ["sh", "-c", "redis-cli </seed/carts.redis && test \"$(redis-cli dbsize)\" = 3"] },
      { command = ["redis-cli", "save"] },
    ]
  }
}

# On the network only: nothing of it is published on this host.
resource "rightsize_container" "database" {
  name            = "${var.name}-database"
  from_checkpoint = rightsize_checkpoint.carts.id
  exposed_ports   = []
  wait_for        = { exec = { command = ["redis-cli", "ping"] } }
  networks        = [{ name = rightsize_network.shop.id, aliases = ["db"] }]
}

resource "rightsize_container" "app" {
  name          = "${var.name}-app"
  image         = var.app_image
  command       = ["httpd", "-f", "-p", "8080", "-h", "/app"]
  exposed_ports = [8080]
  files         = [{ path = "/app/cgi-bin/carts", source = "${path.module}/carts.cgi", mode = "0755" }]
  networks      = [{ name = rightsize_network.shop.id }]

  # The app answers only with a database, whose alias is no reference.
  wait_for   = { http = { path = "/cgi-bin/carts", body = ":3" } }
  depends_on = [rightsize_container.database]
}
