package main

import (
	"os"
	"runtime/debug"
)

// collectSeldom trades memory that a provider does not miss for the processor
// time of a plan: a refresh of a hundred resources is a burst of small garbage,
// and collecting it at the default pace takes a third of the provider's time.
// The limit keeps the whole below 100 MB. GOGC and GOMEMLIMIT win if they are
// set.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(72 << 20)
	}
}

// quietSDK turns off the trace logs of the plugin SDKs if nobody asked for logs.
// They write every step of every call to Terraform, which throws them away
// unless TF_LOG or one of its kind is set; making them is a sixth of the
// processor time that an empty plan costs the provider.
func quietSDK() {
	for _, asked := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_RIGHTSIZE"} {
		if os.Getenv(asked) != "" {
			return
		}
	}
	for _, sdk := range []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
		if os.Getenv(sdk) == "" {
			// It fails for a malformed name only.
			_ = os.Setenv(sdk, "OFF")
		}
	}
}
