# A container from an image, with a port of the provider's choice.
resource "rightsize_container" "web" {
  image         = "nginx:1.27-alpine"
  exposed_ports = [80]
  files         = [{ path = "/usr/share/nginx/html", source = "${path.module}/html" }]
  wait_for      = { http = { path = "/", port = 80 } }
}

# A container that starts from a checkpoint. Environment, command, ports and
# memory limit come with it; the contents are reset when the release changes.
resource "rightsize_container" "orders" {
  name            = "orders"
  from_checkpoint = "orders-seeded"
  preset          = "postgres"
  reset_trigger   = var.release
}

variable "release" {
  type    = string
  default = "1.0"
}

output "web" {
  value = "http://${rightsize_container.web.host}:${rightsize_container.web.mapped_ports["80"]}/"
}
