variable "image" {
  description = "The PostgreSQL image."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the containers' names."
  type        = string
  default     = "save-point"
}

variable "save_point" {
  description = "Any value. A change captures the database as it is now, and the copy follows."
  type        = string
  default     = "1"
}

variable "password" {
  description = "The password of the database's superuser."
  type        = string
  default     = "fixture"
  sensitive   = true
}
