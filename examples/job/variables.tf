variable "image" {
  description = "An image with a shell and an httpd, such as busybox."
  type        = string
  default     = "busybox:1"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the container's name."
  type        = string
  default     = "catalog"
}
