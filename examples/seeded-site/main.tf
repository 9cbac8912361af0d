# A web server whose pages are seeded while it runs, and copies of it that serve
# them. The image is small, so that this stack runs on any backend in no time.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "site" {
  name = var.name

  seed = {
    image         = var.image
    command       = ["httpd", "-f", "-p", "8080", "-h", "/www"]
    exposed_ports = [8080]
    files         = [{ path = "/www/index.html", source = "${path.module}/index.html" }]
    wait_for      = { http = { path = "/index.html" } }
    exec          = [{ command = ["sh", "-c", "wget -q -O /tmp/page http://127.0.0.1:8080/index.html && tr a-z A-Z </tmp/page >/www/loud.html"] }]
    stop_timeout  = "1s" # busybox's httpd does not heed SIGTERM
  }
}

resource "rightsize_container" "site" {
  count           = 2
  name            = "${var.name}-${count.index + 1}"
  from_checkpoint = rightsize_checkpoint.site.id
  wait_for        = { http = { path = "/loud.html", port = 8080 } }
  stop_timeout    = "1s"
}
