variable "backend" {
  description = "The backend. No other one than microsandbox holds memory."
  type        = string
  default     = "microsandbox"
}

variable "home" {
  description = "The directory of all that msb 0.7 keeps, for itself: a path of at most 57 bytes."
  type        = string
  default     = "~/.rightsize-msb"
}

variable "image" {
  description = "The Redis image."
  type        = string
  default     = "redis:7-alpine"
}

variable "name" {
  description = "The name of the checkpoint, and the beginning of the containers' names."
  type        = string
  default     = "sessions-warm"
}

variable "reset" {
  description = "Change it to take all copies back to the captured instant."
  type        = string
  default     = "0"
}
