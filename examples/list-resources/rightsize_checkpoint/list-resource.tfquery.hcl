# The checkpoints that can be imported on this host, whoever captured them.
list "rightsize_checkpoint" "all" {
  provider = rightsize
}

# Those whose names begin with "orders-".
list "rightsize_checkpoint" "orders" {
  provider = rightsize

  config {
    name_prefix = "orders-"
  }
}
