package msb_test

import "testing"

func TestDoctor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sample string
		want   string
	}{
		"ready": {sample: "misc/doctor-ok"},
		"no virtualization": {
			"misc/doctor-no-virt",
			"msb doctor: CPU virt: not found; CPU virtualization is not available: no vmx (Intel) or svm (AMD) flag in /proc/cpuinfo: " +
				"enable virtualization (VT-x / AMD-V) in your BIOS or UEFI firmware: inside a VM, enable nested virtualization on the host",
		},
		"no state": {
			"misc/schema-newer-than-binary",
			`msb doctor: runtime error: database schema is newer than this msb binary; applied migration "m20260829_000001_split_snapshot_identity" is not in this binary's migration prefix`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, fake := newClient(t)
			fake.Expect("doctor").Sample(test.sample)
			got := ""
			if err := client.Doctor(t.Context()); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Doctor() = %q, want %q", got, test.want)
			}
		})
	}
}
