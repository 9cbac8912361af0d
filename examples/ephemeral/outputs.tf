output "tried" {
  description = "The migration, by its digest, that succeeded on a copy of this capture."
  value       = { checkpoint = terraform_data.trial.triggers_replace[0], migration = terraform_data.trial.triggers_replace[1] }
}
