// Package faults breaks things on purpose: it runs the built provider under
// Terraform against a real engine, takes the engine, the process or the files
// away at every step, and checks that nothing is lost and nothing is left.
//
// Its tests run if RIGHTSIZE_TEST_ENGINE is set, on two image stores if
// RIGHTSIZE_TEST_CONTAINERD_HOST names a second engine, and in a reduced form
// if RIGHTSIZE_TEST_FAULTS is "reduced". They need the right to read the
// engine's volumes, which root on its host has.
package faults
