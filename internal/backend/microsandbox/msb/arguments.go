package msb

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// arguments is what one call of msb is given: the command line, the same as it
// may be shown, and the variables that are handed over by name.
//
// A value is always part of its flag, as in --name=web, so that it cannot be
// read as another flag.
type arguments struct {
	argv  []string
	shown []string
	env   []string
	// secrets are values that appear in no error, even if msb repeats them.
	secrets []string
	// lockFree says that the command does not lock msb's state, and can be ended
	// at any moment.
	lockFree bool
}

// plain is a command line without anything to hide.
func plain(args ...string) arguments {
	var a arguments
	a.add(args...)
	return a
}

func (a *arguments) add(args ...string) {
	a.argv = append(a.argv, args...)
	a.shown = append(a.shown, args...)
}

// hidden stands for what a command is given.
const hidden = "(arguments hidden)"

// command appends what the user wants to be run. Only the program is shown:
// arguments may hold passwords.
func (a *arguments) command(argv []string) {
	a.argv = append(append(a.argv, "--"), argv...)
	a.shown = append(a.shown, "--")
	if len(argv) > 0 {
		a.shown = append(a.shown, argv[0])
	}
	if len(argv) > 1 {
		a.shown = append(a.shown, hidden)
		a.secrets = append(a.secrets, argv[1:]...)
	}
}

// environment appends the variables of a sandbox or a command. Their values go
// through msb's own environment, since every user of the host can read its
// command line. Those that would change msb itself there go on the command
// line all the same: a PATH, a proxy or a MSB_HOME is hardly ever secret.
func (a *arguments) environment(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("%q is not a name of an environment variable", name)
		}
		if err := checkText("environment variable "+strconv.Quote(name), name+value); err != nil {
			return err
		}
		flag := "--env=" + name
		a.shown = append(a.shown, flag)
		a.secrets = append(a.secrets, value)
		if steers(name) {
			a.argv = append(a.argv, flag+"="+value)
			continue
		}
		a.argv = append(a.argv, flag)
		a.env = append(a.env, name+"="+value)
	}
	return nil
}

func (a *arguments) labels(labels map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if key == "" || strings.Contains(key, "=") {
			return fmt.Errorf("%q is not a key of a label", key)
		}
		if err := checkText("label "+strconv.Quote(key), key+labels[key]); err != nil {
			return err
		}
		a.add("--label=" + key + "=" + labels[key])
	}
	return nil
}

// megabytes is a size as msb takes it. It knows no other unit that is exact:
// MiB and MB are refused.
func megabytes(n int64) string {
	return strconv.FormatInt(n, 10) + "M"
}

// seconds rounds up: a shorter wait than the one asked for would cut writes off.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(math.Ceil(max(d, 0).Seconds())), 10)
}

// createArguments boots an image. Nothing is ever pulled on the way: msb would
// choose when, and tell nothing about it.
func createArguments(boot Boot) (arguments, error) {
	if boot.Snapshot != "" {
		return arguments{}, fmt.Errorf("a sandbox boots from an image or a snapshot, not both")
	}
	a := plain("create", "--pull=never")
	switch {
	case boot.DiskMB > 0 && boot.TmpfsRootMB > 0:
		return arguments{}, fmt.Errorf("the root is either a disk or a tmpfs, not both")
	case boot.DiskMB > 0:
		a.add("--root-disk=" + megabytes(boot.DiskMB))
	case boot.TmpfsRootMB > 0:
		a.add("--root-disk=tmpfs:" + megabytes(boot.TmpfsRootMB))
	}
	if err := a.boot(boot); err != nil {
		return arguments{}, err
	}
	a.add(boot.Image)
	return a, nil
}

// checkRestore refuses a boot of a snapshot that no version takes.
func checkRestore(boot Boot) error {
	switch {
	case !filepath.IsAbs(boot.Snapshot):
		// msb takes anything else as a name in its own directory.
		return fmt.Errorf("snapshot %q is not an absolute path", boot.Snapshot)
	case boot.Image != "":
		return fmt.Errorf("a sandbox boots from an image or a snapshot, not both")
	case boot.DiskMB > 0 || boot.TmpfsRootMB > 0:
		return fmt.Errorf("the root of a snapshot has the size it was captured with")
	}
	return checkName(boot.Name)
}

// boot appends what a sandbox is booted with, except for what it is booted from.
func (a *arguments) boot(boot Boot) error {
	if err := checkName(boot.Name); err != nil {
		return err
	}
	a.add("--name=" + boot.Name)
	a.machine(boot)
	if boot.User != "" {
		a.add("--user=" + boot.User)
	}
	if boot.WorkingDir != "" {
		a.add("--workdir=" + boot.WorkingDir)
	}
	a.reach(boot)
	if err := a.mounts("--mount-dir=", boot.Mounts); err != nil {
		return err
	}
	if err := a.labels(boot.Labels); err != nil {
		return err
	}
	if err := a.environment(boot.Env); err != nil {
		return err
	}
	return checkText("an argument", strings.Join(a.argv, " "))
}

// machine appends the resources of the VM.
func (a *arguments) machine(boot Boot) {
	if boot.MemoryMB > 0 {
		a.add("--memory=" + megabytes(boot.MemoryMB))
	}
	if boot.CPUs > 0 {
		a.add("--cpus=" + strconv.Itoa(boot.CPUs))
	}
}

// reach appends how the sandbox is reached, and what it reaches.
func (a *arguments) reach(boot Boot) {
	if boot.NoNetwork {
		a.add("--no-net")
	}
	for _, port := range boot.Ports {
		a.add("--port=" + portArgument(port))
	}
}

// mounts appends directories of the host.
func (a *arguments) mounts(flag string, mounts []Mount) error {
	for _, mount := range mounts {
		// msb refuses these characters, since it separates options by them.
		if strings.ContainsAny(mount.Host, ":,;") || strings.ContainsAny(mount.Guest, ":,;") {
			return fmt.Errorf("mount %s: a path that is mounted must not hold a colon, comma or semicolon", mount.Host)
		}
		// Without the leading slash it would be the name of a volume.
		if !filepath.IsAbs(mount.Host) || !strings.HasPrefix(mount.Guest, "/") {
			return fmt.Errorf("mount %s: both paths must be absolute", mount.Host)
		}
		a.add(flag + mount.Host + ":" + mount.Guest)
	}
	return nil
}

// portArgument binds to loopback explicitly, though it is msb's default.
func portArgument(port backend.PortBinding) string {
	s := fmt.Sprintf("127.0.0.1:%d:%d", port.Host, port.Number)
	if port.Protocol == backend.UDP {
		s += "/udp"
	}
	return s
}

// execArguments runs a command. Without --stream msb keeps all of its output in
// memory until it ends.
func execArguments(name string, cmd Exec) (arguments, error) {
	if len(cmd.Command) == 0 {
		// Without a command msb runs the image's once more.
		return arguments{}, fmt.Errorf("there is no command to run")
	}
	a := plain("exec", "--stream")
	if cmd.User != "" {
		a.add("--user=" + cmd.User)
	}
	if cmd.WorkingDir != "" {
		a.add("--workdir=" + cmd.WorkingDir)
	}
	if err := a.environment(cmd.Env); err != nil {
		return arguments{}, err
	}
	a.add(name)
	a.command(cmd.Command)
	return a, checkText("the command", strings.Join(a.argv, " "))
}

func logsArguments(name string, opts LogOptions) (arguments, error) {
	a := plain("logs", "--json")
	a.lockFree = true
	if opts.Source != "" {
		a.add("--source=" + string(opts.Source))
	}
	if opts.Follow {
		a.add("--follow")
	}
	if !opts.Since.IsZero() {
		a.add("--since=" + opts.Since.UTC().Format(time.RFC3339Nano))
	}
	if opts.Grep != "" {
		a.add("--grep=" + opts.Grep)
	}
	a.add(name)
	return a, checkText("an argument", strings.Join(a.argv, " "))
}

// Resources of a sandbox that names none, by msb's own choice.
const (
	defaultMemoryMB = 512
	defaultCPUs     = 1
)

// modifyArguments always names both limits, so that removing one from the
// configuration gives msb's default back, and the maxima, which msb raises with
// them but never lowers: the guest would still be prepared for the old ones.
func modifyArguments(name string, memoryMB int64, cpus int) arguments {
	if memoryMB <= 0 {
		memoryMB = defaultMemoryMB
	}
	if cpus <= 0 {
		cpus = defaultCPUs
	}
	memory, count := megabytes(memoryMB), strconv.Itoa(cpus)
	return plain("modify", "--memory="+memory, "--max-memory="+memory, "--cpus="+count, "--max-cpus="+count, "--format=json", name)
}

// checkReference refuses what msb would read as a flag or as nothing.
func checkReference(ref string) error {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " \t\r\n") {
		return fmt.Errorf("%q is not a reference to an image", ref)
	}
	return checkText("the reference", ref)
}
