variable "name" {
  description = "The name of the network, and the beginning of the container's name."
  type        = string
  default     = "shop"
}

variable "checkpoint" {
  description = "The name of the checkpoint."
  type        = string
  default     = "sessions-seeded"
}

variable "image" {
  description = "The Redis image that the container was made from."
  type        = string
  default     = "redis:7-alpine"
}
