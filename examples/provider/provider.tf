terraform {
  required_providers {
    rightsize = {
      source = "rightsize/rightsize"
    }
  }
}

# Runs microVMs where the host can, else finds the Docker Engine as the docker
# command does, and finds the checkpoints where the rightsize libraries keep
# them.
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

# MicroVMs, with an msb from a mirror where there is none.
provider "rightsize" {
  alias   = "isolated"
  backend = "microsandbox"

  microsandbox = {
    home = "~/.rightsize-msb"

    download = {
      base_url = "https://mirror.example.com/microsandbox"
    }
  }
}
