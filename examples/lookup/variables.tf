variable "checkpoint" {
  description = "The checkpoint to start from."
  type        = string
  default     = "orders-seeded"
}

variable "image" {
  description = "The PostgreSQL image to start from where there is no checkpoint."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The container's name."
  type        = string
  default     = "orders-lookup"
}

variable "password" {
  description = "The password of the database's superuser. A checkpoint brings the one it was seeded with."
  type        = string
  default     = "fixture"
  sensitive   = true
}
