variable "checkpoint" {
  description = "The checkpoint to migrate a copy of, by its name or id."
  type        = string
  default     = "orders-seeded"
}

variable "name" {
  description = "The name of the copy."
  type        = string
  default     = "orders-migrated"
}
