# By the checkpoint's name.
terraform import rightsize_checkpoint.orders orders-seeded
