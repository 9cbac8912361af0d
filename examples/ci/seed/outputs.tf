output "captured_at" {
  description = "When the checkpoint was captured: now, or by an earlier run."
  value       = rightsize_checkpoint.orders.created_at
}
