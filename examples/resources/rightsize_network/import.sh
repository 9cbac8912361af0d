# By the network's name.
terraform import rightsize_network.shop shop
