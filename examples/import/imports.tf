# They may stay, and do nothing once it is imported; or go.

import {
  to = rightsize_network.shop
  id = var.name
}

import {
  to = rightsize_container.cache
  id = "${var.name}-cache"
}

import {
  to = rightsize_checkpoint.sessions
  id = var.checkpoint
}
