variable "image" {
  description = "The PostgreSQL image: the official one, or one that behaves like it."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the names of its copies."
  type        = string
  default     = "orders-seeded"
}

variable "copies" {
  description = "How many databases to start from the checkpoint."
  type        = number
  default     = 3
}

variable "rows" {
  description = "How many orders to seed."
  type        = number
  default     = 100000
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
  description = "Any value. A change brings every copy back to the seeded rows, on the ports it has."
  type        = string
  default     = ""
}
