# Takes over what is there already: a network and a container that somebody made
# by hand, and a checkpoint that another stack captured. imports.tf names them.

terraform {
  required_version = ">= 1.6" # where the id of an import may have a variable in it

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {
  backend = "docker"
}

resource "rightsize_network" "shop" {
  name = var.name
}

# As it was made: what differs would be changed in place, or replaced, and the
# plan says which.
resource "rightsize_container" "cache" {
  name          = "${var.name}-cache"
  image         = var.image
  exposed_ports = [6379]
  networks      = [{ name = rightsize_network.shop.id, aliases = ["cache"] }]
}

# No artifact tells what it was made of: that is taken over from here, and only
# a later change of it captures again.
resource "rightsize_checkpoint" "sessions" {
  name = var.checkpoint

  seed = {
    image  = var.image
    preset = "redis"
    exec   = [{ command = ["redis-cli", "set", "session:1", "ada"] }, { command = ["redis-cli", "save"] }]
  }
}

# What there is, whoever made it.
data "rightsize_containers" "all" {
  all = true
}

data "rightsize_checkpoints" "all" {}
