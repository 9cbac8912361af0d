# What a job has made, on this host.
resource "rightsize_container" "report" {
  image    = "busybox:1.36"
  command  = ["sh", "-c", "mkdir /report && date > /report/made-at"]
  wait_for = { exit = true }
}

resource "rightsize_file_copy" "report" {
  container_id = rightsize_container.report.container_id
  path         = "/report"
  destination  = "${path.module}/report"
}

output "report" {
  value = rightsize_file_copy.report.sha256
}
