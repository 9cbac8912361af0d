// Package preset holds what is known of the servers that fixtures are made of
// most often: where they listen, by what one knows that they accept clients,
// and how a client connects to them.
//
// It is data. The table is in table.go, one row for each preset with the source
// of its facts; the tests beside it hold samples of what each server logs. What
// an engine or Terraform makes of a row is not its business.
package preset
