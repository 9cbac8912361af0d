# A migration that is tried on a copy of the seeded database first. The copy lives
# only for the run of Terraform, and only if the migration succeeds on it does the
# apply go on.

terraform {
  required_version = ">= 1.10"

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
    files  = [{ path = "/seed/schema.sql", source = "${path.module}/schema.sql" }]
    exec   = [{ command = ["psql", "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "/seed/schema.sql"] }]
  }
}

# Nothing of it enters state: neither the port nor the container.
ephemeral "rightsize_container" "trial" {
  from_checkpoint = rightsize_checkpoint.orders.id
  preset          = "postgres"
}

# Needs psql on the machine that runs Terraform.
resource "terraform_data" "trial" {
  triggers_replace = [rightsize_checkpoint.orders.id, filesha256("${path.module}/migration.sql")]

  provisioner "local-exec" {
    working_dir = path.module
    command     = "psql -X -v ON_ERROR_STOP=1 -f migration.sql \"$DATABASE\""
    environment = { DATABASE = ephemeral.rightsize_container.trial.connection_uri }
  }
}
