# Three servers side by side. Each has its image, its accounts and its preset,
# which knows the port, when the server is ready, and how to connect to it.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_container" "postgres" {
  name   = "${var.name}-postgres"
  image  = var.postgres_image
  env    = { POSTGRES_PASSWORD = var.password, POSTGRES_DB = "shop" }
  preset = "postgres"
}

resource "rightsize_container" "mariadb" {
  name   = "${var.name}-mariadb"
  image  = var.mariadb_image
  preset = "mariadb"

  env = {
    MARIADB_ROOT_PASSWORD = var.password
    MARIADB_USER          = "shop"
    MARIADB_PASSWORD      = var.password
    MARIADB_DATABASE      = "shop"
  }
}

resource "rightsize_container" "redis" {
  name   = "${var.name}-redis"
  image  = var.redis_image
  preset = "redis"
}
