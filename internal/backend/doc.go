// Package backend states what every backend promises, in terms that hold for
// a Docker Engine and for microsandbox alike. It knows neither an engine nor
// Terraform.
//
// Start at [Backend]. A backend lives in a package of its own below this one
// and is the only code that talks to its engine; package backendtest holds the
// contract suite that each of them passes, and package fake a backend in
// memory.
package backend
