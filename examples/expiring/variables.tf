variable "expires_after" {
  description = "How long the preview is wanted."
  type        = string
  default     = "72h"
}

variable "image" {
  description = "An image with an httpd, such as busybox."
  type        = string
  default     = "busybox:1"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the container's name."
  type        = string
  default     = "preview"
}
