# A copy of a checkpoint for as long as this run of Terraform takes.
ephemeral "rightsize_container" "orders" {
  from_checkpoint = "orders-seeded"
  wait_for        = { log = { pattern = "ready to accept connections" } }
}

# Something that needs a database while Terraform runs, and not after.
resource "terraform_data" "report" {
  provisioner "local-exec" {
    command = "psql -X -c 'SELECT count(*) FROM orders' >report.txt"

    environment = {
      PGHOST = ephemeral.rightsize_container.orders.host
      PGPORT = ephemeral.rightsize_container.orders.mapped_ports["5432"]
      PGUSER = "postgres"
    }
  }
}
