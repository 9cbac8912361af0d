terraform {
  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

# Finds the Docker Engine as the docker command does, and the checkpoints where
# the rightsize libraries keep them.
provider "rightsize" {}

# Another engine, and checkpoints of its own.
provider "rightsize" {
  alias     = "build"
  backend   = "docker"
  cache_dir = "/var/cache/rightsize"

  docker = {
    host = "ssh://ci@build.example.com"
  }
}
