data "rightsize_checkpoints" "all" {}

# What takes up space, since when, and until when it is wanted.
output "checkpoints" {
  value = {
    for c in data.rightsize_checkpoints.all.checkpoints : c.name => {
      created_at = c.created_at
      age_hours  = c.age_hours
      size_mb    = try(ceil(c.size_bytes / 1000000), null)
      expires_at = c.expires_at
    }
  }
}

# What nobody has captured again for a week.
output "old" {
  value = [for c in data.rightsize_checkpoints.all.checkpoints : c.name if c.age_hours >= 7 * 24]
}
