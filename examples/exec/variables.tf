variable "image" {
  description = "The PostgreSQL image."
  type        = string
  default     = "postgres:16-alpine"
}

variable "name" {
  description = "The container's name."
  type        = string
  default     = "notes"
}

variable "reset" {
  description = "Any value. A change empties the database, and migrates it again."
  type        = string
  default     = "0"
}

variable "password" {
  description = "The password of the database's superuser."
  type        = string
  default     = "fixture"
  sensitive   = true
}
