# The stack of the job that seeds.

terraform {
  required_version = ">= 1.5"

  # Terraform is told by the pipeline where it is: on the machine that has the
  # checkpoint.
  backend "local" {}

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "orders" {
  name = var.name

  seed = {
    image  = var.image
    env    = { POSTGRES_PASSWORD = var.password }
    preset = "postgres"
    files  = [{ path = "/migrations", source = "${path.module}/migrations" }] # a change below it captures again

    exec = [for file in sort(fileset("${path.module}/migrations", "*.sql")) :
      { command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "/migrations/${file}"] }
    ]
  }
}
