# A second stack, in CI or on a colleague's branch: it starts from a checkpoint
# that another stack, or a rightsize test library, captured on this host.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

data "rightsize_checkpoint" "orders" {
  name     = var.checkpoint
  required = false # absent is not an error: exists says so
}

# The seeded rows if they are there, an empty database if not. Do not put the
# rightsize_checkpoint that seeds behind count = exists ? 0 : 1: the next plan
# would find the checkpoint and destroy it.
resource "rightsize_container" "orders" {
  name            = var.name
  from_checkpoint = data.rightsize_checkpoint.orders.exists ? data.rightsize_checkpoint.orders.id : null
  image           = data.rightsize_checkpoint.orders.exists ? null : var.image
  env             = data.rightsize_checkpoint.orders.exists ? null : { POSTGRES_PASSWORD = var.password }
  preset          = "postgres" # knows what to wait for in either case
}
