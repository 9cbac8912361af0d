package msb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msb"
	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

// TestClassify has a captured sample for every line of the table of messages.
func TestClassify(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"exec/bad-group":                                msb.ErrInvalid,
		"exec/stream-bad-user":                          msb.ErrInvalid,
		"exec/bad-user":                                 msb.ErrInvalid,
		"exec/missing-sandbox":                          msb.ErrNotFound,
		"exec/starting-sandbox":                         msb.ErrStarting,
		"exec/stopped-sandbox-boot-failed":              msb.ErrBoot,
		"exec/timeout":                                  msb.ErrTimeout,
		"exec/vm-died":                                  msb.ErrVMDied,
		"from-snapshot/idle-too-late":                   msb.ErrBoot,
		"from-snapshot/missing":                         msb.ErrSnapshotNotFound,
		"image/inspect-missing":                         msb.ErrNotFound,
		"image/pull-bad-reference":                      msb.ErrImageReference,
		"image/pull-offline":                            msb.ErrRegistry,
		"logs/bad-grep":                                 msb.ErrInvalid,
		"logs/missing":                                  msb.ErrNotFound,
		"misc/bad-config-json":                          msb.ErrInvalid,
		"misc/no-ca-bundle-panic":                       msb.ErrNoCertificates,
		"misc/state-locked":                             msb.ErrLocked,
		"misc/schema-newer-than-binary":                 msb.ErrSchemaNewer,
		"misc/usage-error-unknown-flag":                 msb.ErrUsage,
		"sandbox/create-bad-host-port":                  msb.ErrInvalid,
		"sandbox/create-bad-memory":                     msb.ErrInvalid,
		"sandbox/create-bad-port":                       msb.ErrInvalid,
		"sandbox/create-bad-pull-policy":                msb.ErrInvalid,
		"sandbox/create-bad-reference":                  msb.ErrImageReference,
		"sandbox/create-empty-name":                     msb.ErrInvalid,
		"sandbox/create-env-unset":                      msb.ErrInvalid,
		"sandbox/create-existing-name":                  msb.ErrExists,
		"sandbox/create-invalid-name":                   msb.ErrInvalid,
		"sandbox/create-mount-colon-in-path":            msb.ErrInvalid,
		"sandbox/create-name-too-long":                  msb.ErrInvalid,
		"sandbox/create-orphan":                         msb.ErrExists,
		"sandbox/create-root-disk-too-small":            msb.ErrInvalid,
		"sandbox/create-socket-path-too-long":           msb.ErrSocketPath,
		"sandbox/create-zero-memory":                    msb.ErrInvalid,
		"sandbox/inspect-missing":                       msb.ErrNotFound,
		"sandbox/modify-missing":                        msb.ErrNotFound,
		"sandbox/modify-requires-restart":               msb.ErrNotStopped,
		"sandbox/rm-force-missing":                      msb.ErrNotFound,
		"sandbox/rm-running":                            msb.ErrStillRunning,
		"sandbox/run-detached-bad-command-workdir-race": msb.ErrWorkdir,
		"sandbox/run-detached-boot-failed":              msb.ErrBoot,
		"sandbox/run-detached-build-vm-failed":          msb.ErrBoot,
		"sandbox/run-detached-missing-workdir":          msb.ErrWorkdir,
		"sandbox/run-detached-mount-source-missing":     msb.ErrBoot,
		"sandbox/run-foreground-no-passwd":              msb.ErrInvalid,
		"sandbox/run-foreground-timeout":                msb.ErrTimeout,
		"sandbox/run-missing-image-offline":             msb.ErrRegistry,
		"sandbox/run-missing-image-pull-never":          msb.ErrImageNotCached,
		"sandbox/run-tmpdir-without-xattr":              msb.ErrBoot,
		"sandbox/start-boot-failed":                     msb.ErrBoot,
		"sandbox/start-missing":                         msb.ErrNotFound,
		"sandbox/start-running":                         msb.ErrStillRunning,
		"sandbox/start-starting":                        msb.ErrStarting,
		"sandbox/stop-missing":                          msb.ErrNotFound,
		"snapshot/create-bad-label":                     msb.ErrInvalid,
		"snapshot/create-bad-name":                      msb.ErrInvalid,
		"snapshot/create-disk-image-root":               msb.ErrUncapturable,
		"snapshot/create-exists":                        msb.ErrSnapshotExists,
		"snapshot/create-missing-sandbox":               msb.ErrNotFound,
		"snapshot/create-resumable":                     nil,
		"snapshot/create-running-sandbox":               msb.ErrNotStopped,
		"snapshot/create-tmpfs-root":                    msb.ErrUncapturable,
		"snapshot/inspect-bad-descriptor":               msb.ErrIntegrity,
		"snapshot/inspect-no-upper":                     msb.ErrIntegrity,
		"snapshot/inspect-size-mismatch":                msb.ErrIntegrity,
		"snapshot/remove-missing":                       msb.ErrSnapshotNotFound,
		"snapshot/remove-missing-digest":                msb.ErrSnapshotNotFound,
		"snapshot/verify-missing":                       msb.ErrSnapshotNotFound,
		"snapshot/verify-tampered":                      msb.ErrIntegrity,

		"from-snapshot/base-image-missing-offline":    msb.ErrIntegrity,
		"from-snapshot/base-image-missing-pull-never": msb.ErrIntegrity,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sample := msbtest.Load(name)
			if sample.Exit == 0 {
				t.Fatalf("the sample is one of a success")
			}
			got := msb.Classify(nil, nil, sample.Exit, sample.Stderr)
			if got.Kind != want {
				t.Errorf("%q is %v, want %v", sample.Stderr, got.Kind, want)
			}
			if want != nil && !errors.Is(got, want) {
				t.Errorf("errors.Is(%v, %v) is false", got, want)
			}
			if got.Exit != sample.Exit {
				t.Errorf("the exit code is %d, want %d", got.Exit, sample.Exit)
			}
			if got.Message == "" || strings.ContainsAny(got.Message, "\n\r\x1b") || strings.HasPrefix(got.Message, "error: ") {
				t.Errorf("the message is not one line of text: %q", got.Message)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args    []string
		secrets []string
		sample  string
		stderr  string
		exit    int
		want    string
	}{
		"one line": {
			args: []string{"inspect", "--format=json", "nope"}, sample: "sandbox/inspect-missing",
			want: "msb inspect: sandbox not found: nope",
		},
		"causes, without the advice to run msb": {
			args: []string{"create", "--name=bf"}, sample: "sandbox/run-detached-boot-failed",
			want: `msb create: failed to start "bf": other: sandbox process exited (exit status: 1) before agent relay became available`,
		},
		"warnings before it": {
			args: []string{"start", "web"}, exit: 1,
			stderr: "warn: something\n  → hint of the warning\nerror: sandbox not found: web\n",
			want:   "msb start web: sandbox not found: web",
		},
		"usage names the version as the likely cause": {
			args: []string{"snapshot", "inspect", "s1"}, sample: "misc/usage-error-unknown-flag",
			want: "msb snapshot inspect s1: msb does not understand the command line, its version is probably not supported: unexpected argument '--format' found",
		},
		"no certificates": {
			args: []string{"pull", "app:1"}, sample: "misc/no-ca-bundle-panic",
			want: "msb pull app:1: No CA certificates were loaded from the system",
		},
		"without a message": {
			args: []string{"remove", "--force", "web"}, exit: 1,
			want: "msb remove (exit code 1 and no message)",
		},
		"text that is none of msb's": {
			args: []string{"ps"}, exit: 1, stderr: "/opt/msb: cannot execute:\n\n  required file not found\n",
			want: "msb ps: /opt/msb: cannot execute:; required file not found",
		},
		"control characters and bytes that are no text": {
			args: []string{"ps"}, exit: 1, stderr: "error: \x1b[31mred\x1b[0m\a \x00bytes \xff\xfe\r\n",
			want: "msb ps: red bytes \uFFFD",
		},
		"values that msb repeats": {
			args: []string{"create", "--env=TOKEN"}, secrets: []string{"s3cret", "yes"}, exit: 1,
			stderr: "error: invalid config: bad value s3cret for TOKEN, yes\n",
			want:   "msb create: invalid config: bad value (hidden) for TOKEN, yes",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.sample != "" {
				sample := msbtest.Load(test.sample)
				test.stderr, test.exit = sample.Stderr, sample.Exit
			}
			got := msb.Classify(test.args, test.secrets, test.exit, test.stderr).Error()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("text of the error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrOrphanedIsErrExists holds for callers that tell no more apart.
func TestErrOrphanedIsErrExists(t *testing.T) {
	t.Parallel()
	if !errors.Is(msb.ErrOrphaned, msb.ErrExists) || errors.Is(msb.ErrExists, msb.ErrOrphaned) {
		t.Error("ErrOrphaned must be a kind of ErrExists, and not the other way round")
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                             "",
		"plain text, two\nlines":       "plain text, two\nlines",
		"tab\there":                    "tab here",
		"\x1b[1;31mred\x1b[0m":         "red",
		"\x1b]0;title\x07after":        "after",
		"carriage\r return\b\x7f":      "carriage return",
		"\xff\xfebytes":                "\uFFFDbytes",
		"right-to-left \u202eoverride": "right-to-left override",
		"   ✓ Stopped      web  → ünïcödé": "   ✓ Stopped      web  → ünïcödé",
	}
	for in, want := range tests {
		if got := msb.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
