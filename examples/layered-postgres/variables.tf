variable "image" {
  description = "The PostgreSQL image: the official one, or one that behaves like it."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The beginning of the names of the checkpoints and of the containers."
  type        = string
  default     = "shop"
}

variable "tenants" {
  description = "How many orders each tenant has."
  type        = map(number)
  default     = { acme = 1000, zenith = 50 }
}

variable "flatten" {
  description = "Whether the reference data is a checkpoint of one layer, which shares none with the image."
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
