// Package preflight says whether a host can run microVMs, and exactly what it
// lacks if it cannot. It judges a description of the host, which costs a few
// file reads to make; it runs no program and contacts nothing.
package preflight
