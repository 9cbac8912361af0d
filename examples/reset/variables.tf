variable "image" {
  description = "The PostgreSQL image: the official one, or one that behaves like it."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the names of the containers."
  type        = string
  default     = "notes"
}

variable "reset" {
  description = "Any value. A change brings the database back to what was seeded, on the port it has."
  type        = string
  default     = ""
}

variable "look_back" {
  description = "Whether to start a second database with what was there before the last reset."
  type        = bool
  default     = false
}

# It ends up in state, in the checkpoints' registry entries and in the
# containers' environment: choose one that guards nothing but fixtures.
variable "password" {
  description = "The password of the databases' superuser."
  type        = string
  default     = "fixture"
  sensitive   = true
}
