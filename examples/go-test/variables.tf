variable "image" {
  description = "The PostgreSQL image: the official one, or one that behaves like it."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the names of its copies."
  type        = string
  default     = "orders-go-test"
}

variable "copies" {
  description = "A database each. The tests ask for them by these names."
  type        = set(string)
  default     = ["read", "cancel", "forget"]
}

# It ends up in state, in the checkpoint's registry entry and in the containers'
# environment: choose one that guards nothing but fixtures.
variable "password" {
  description = "The password of the database's superuser."
  type        = string
  default     = "fixture"
  sensitive   = true
}

variable "reset" {
  description = "Any value. A change brings every copy back to the seeded rows, on the port it has."
  type        = string
  default     = ""
}
