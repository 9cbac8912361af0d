# The stack of the jobs that test. It seeds nothing: without the checkpoint its
# plan fails, and says where it was looked for.

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
  name = var.checkpoint
}

# No name: each job gets a container and a port of its own. A job that is killed
# before it destroys leaves it to whoever cleans up what has expired.
resource "rightsize_container" "orders" {
  from_checkpoint = data.rightsize_checkpoint.orders.id
  preset          = "postgres"
  expires_after   = "24h"
}
