# The environment of a preview, which nobody may remember to destroy: a
# checkpoint and a container that a clean-up removes once they have expired.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "preview" {
  name          = var.name
  expires_after = var.expires_after # counted from the capture; a change is applied in place

  seed = {
    image         = var.image
    command       = ["httpd", "-f", "-p", "8080", "-h", "/www"]
    exposed_ports = [8080]
    files         = [{ path = "/www/index.html", content = "a preview\n" }]
    stop_timeout  = "1s" # busybox's httpd does not heed SIGTERM
  }
}

resource "rightsize_container" "preview" {
  name            = "${var.name}-1"
  from_checkpoint = rightsize_checkpoint.preview.id
  expires_after   = var.expires_after
  stop_timeout    = "1s"
}

# All checkpoints of this host, whoever captured them.
data "rightsize_checkpoints" "all" {
  depends_on = [rightsize_checkpoint.preview]
}
