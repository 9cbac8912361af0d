variable "checkpoint" {
  description = "The checkpoint that the other job captured."
  type        = string
  default     = "orders-ci"
}
