# A copy of a checkpoint for as long as this run of Terraform takes.
ephemeral "rightsize_container" "orders" {
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
}

# Something that needs a database while Terraform runs, and not after.
resource "terraform_data" "report" {
  provisioner "local-exec" {
    command     = "psql -X -c 'SELECT count(*) FROM orders' \"$DATABASE\" >report.txt"
    environment = { DATABASE = ephemeral.rightsize_container.orders.connection_uri }
  }
}
