# The database as it is today. Leave this run out where a checkpoint is kept by
# another stack.
run "seed" {
  module {
    source = "./fixture"
  }
}

# Restores a copy and migrates it.
run "migrate" {
  variables {
    checkpoint = run.seed.checkpoint
  }

  assert {
    condition     = output.customers == 100
    error_message = "The migrations made ${output.customers} customers of 100."
  }

  assert {
    condition     = output.orphans == 0
    error_message = "${output.orphans} orders have lost their customer."
  }
}
