# By the container's name or id.
terraform import rightsize_container.orders orders
