variable "database_image" {
  description = "The Redis image."
  type        = string
  default     = "redis:7-alpine"
}

variable "app_image" {
  description = "An image with busybox, which stands for the app's."
  type        = string
  default     = "busybox:1"
}

variable "name" {
  description = "The name of the network and of the checkpoint, and the beginning of the containers' names."
  type        = string
  default     = "shop"
}
