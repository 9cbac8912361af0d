# A job that builds something and ends, a checkpoint of what it built, and a
# container that serves it.

terraform {
  required_version = ">= 1.5"

  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

provider "rightsize" {}

resource "rightsize_checkpoint" "catalog" {
  name = var.name

  seed = {
    image    = var.image
    command  = ["sh", "-c", "mkdir /www && for n in $(seq 1000); do echo \"{\\\"id\\\": $n}\" >/www/$n.json; done"]
    wait_for = { exit = true } # ready when it has ended with code 0
  }
}

resource "rightsize_container" "catalog" {
  name            = "${var.name}-1"
  from_checkpoint = rightsize_checkpoint.catalog.id
  command         = ["httpd", "-f", "-p", "8080", "-h", "/www"]
  exposed_ports   = [8080]
  wait_for        = { http = { path = "/1000.json" } }
  stop_timeout    = "1s" # busybox's httpd does not heed SIGTERM
}
