# The containers that this provider has made, from whatever state.
list "rightsize_container" "managed" {
  provider = rightsize
}

# Every container of the engine whose name begins with "legacy-", with what an
# import takes of it: terraform query -generate-config-out=legacy.tf
list "rightsize_container" "legacy" {
  provider         = rightsize
  include_resource = true

  config {
    all         = true
    name_prefix = "legacy-"
  }
}
