variable "image" {
  description = "The Redis image."
  type        = string
  default     = "redis:7-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the container's name."
  type        = string
  default     = "sessions-seeded"
}
