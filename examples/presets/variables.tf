variable "postgres_image" {
  description = "The PostgreSQL image."
  type        = string
  default     = "postgres:16-alpine"
}

variable "mariadb_image" {
  description = "The MariaDB image."
  type        = string
  default     = "mariadb:11"
}

variable "redis_image" {
  description = "The Redis image."
  type        = string
  default     = "redis:7-alpine"
}

variable "name" {
  description = "The beginning of the names of the containers."
  type        = string
  default     = "shop"
}

# It ends up in state and in the containers' environment: choose one that guards
# nothing but fixtures.
variable "password" {
  description = "The password of both databases."
  type        = string
  default     = "fixture"
  sensitive   = true
}
