# The containers of every stack on this engine whose names begin with "ci-".
data "rightsize_containers" "ci" {
  name_prefix = "ci-"
}

# The addresses of those that run, by name.
output "addresses" {
  value = {
    for c in data.rightsize_containers.ci.containers :
    c.name => [for port in values(c.mapped_ports) : "${c.host}:${port}"] if c.status == "running"
  }
}
