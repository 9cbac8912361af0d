variable "image" {
  description = "An image with a shell, an httpd and a wget, such as busybox."
  type        = string
  default     = "busybox:1"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the containers' names."
  type        = string
  default     = "site-seeded"
}
