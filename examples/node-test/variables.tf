variable "image" {
  description = "The Redis image."
  type        = string
  default     = "redis:7-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the names of its copies."
  type        = string
  default     = "sessions-node-test"
}

variable "copies" {
  description = "A Redis each. The tests ask for them by these names."
  type        = set(string)
  default     = ["cart", "logout"]
}

variable "reset" {
  description = "Any value. A change brings every copy back to the seeded keys, on the port it has."
  type        = string
  default     = ""
}
