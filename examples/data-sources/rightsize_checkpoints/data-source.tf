data "rightsize_checkpoints" "all" {}

# What takes up space, and since when.
output "checkpoints" {
  value = {
    for c in data.rightsize_checkpoints.all.checkpoints : c.name => {
      created_at = c.created_at
      size_mb    = try(floor(c.size_bytes / 1000000), null)
    }
  }
}
