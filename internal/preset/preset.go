package preset

import "slices"

// Preset is what is known of one kind of server.
type Preset struct {
	// Name is what a user writes.
	Name string
	// Images are the images that the facts are about, without a tag. Others
	// that behave like them will do.
	Images []string
	// Port is the TCP port to which clients connect.
	Port  uint16
	Ready Ready
	URI   URI
}

// Ready says by what one knows that a server accepts clients, beside its port.
// One of Line and Path is set.
type Ready struct {
	// Line is a regular expression (RE2) for the line that the server logs when
	// it accepts clients, and not before.
	Line string
	// Boot is what differs when the image boots for the first time.
	Boot Boot
	// Path is where the server answers a GET request with 200 when it accepts
	// clients.
	Path string
}

// Boot is what differs in the log of an image that boots for the first time,
// and may start a server of its own to initialise its data.
type Boot struct {
	// Times is how many lines must match; zero means that nothing differs.
	Times int
	// Line is counted instead of [Ready.Line], if it is set.
	Line string
	// If, if set, names the environment variables all of which must be given for
	// the image to initialise anything.
	If []string
}

// Lines returns which line of the log to count, and how often. boot says that
// the container starts from its image for the first time; env is what it was
// given.
func (r Ready) Lines(boot bool, env map[string]string) (line string, times int) {
	missing := func(name string) bool { return env[name] == "" }
	if !boot || r.Boot.Times == 0 || slices.ContainsFunc(r.Boot.If, missing) {
		return r.Line, 1
	}
	if r.Boot.Line != "" {
		return r.Boot.Line, r.Boot.Times
	}
	return r.Line, r.Boot.Times
}

// ByName returns the preset of that name.
func ByName(name string) (Preset, bool) {
	i := slices.IndexFunc(table, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return table[i], true
}

// All returns every preset, in the order in which documentation lists them.
func All() []Preset { return slices.Clone(table) }

// Names returns the names of all presets.
func Names() []string {
	names := make([]string, len(table))
	for i, p := range table {
		names[i] = p.Name
	}
	return names
}
