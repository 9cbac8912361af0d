variable "image" {
  description = "The PostgreSQL image: the official one, or one that behaves like it."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The name of the checkpoint, by which the other stack finds it."
  type        = string
  default     = "orders-ci"
}

# It ends up in state, in the checkpoint's registry entry and in the containers'
# environment: choose one that guards nothing but fixtures.
variable "password" {
  description = "The password of the database's superuser."
  type        = string
  default     = "fixture"
  sensitive   = true
}
