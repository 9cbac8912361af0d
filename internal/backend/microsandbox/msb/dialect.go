package msb

import (
	"context"
	"fmt"
)

// dialect is what differs between the lines of msb. Each has a file of its own,
// dialect_0_6.go and dialect_0_7.go; everything else is the same in both.
type dialect interface {
	// features returns what this line can do that another one cannot.
	features() Features
	// restoreArguments is the command line that boots a snapshot, and restore runs
	// it and what has to follow.
	restoreArguments(boot Boot) (arguments, error)
	restore(ctx context.Context, c *Client, boot Boot, args arguments) error
	// snapshotArguments captures a sandbox into a directory of its own, the one
	// named s.Name in s.Dir.
	snapshotArguments(s Snapshot) (arguments, error)
	// forget removes a snapshot that is in msb's index, with its row there. One
	// that is not in it is no error, and may still be there afterwards.
	forget(ctx context.Context, c *Client, path string) error
}

// Features is what only some lines of msb can do.
type Features struct {
	// Live says that a sandbox is captured while it runs.
	Live bool
	// Memory says that a capture can hold memory and processes as well.
	Memory bool
	// MemoryTmp says that /tmp of every sandbox is in memory.
	MemoryTmp bool
	// Line is the first two numbers of the version, as in 0.7.
	Line string
}

// dialects are the lines whose command line is known.
var dialects = map[[2]int]dialect{
	{0, 6}: dialect06{},
	{0, 7}: dialect07{},
}

// Speak returns a client that speaks the command line of this version, or
// ErrUsage. Before that only what no version differs in works: [Client.Version]
// and [Client.Doctor].
func (c *Client) Speak(version Version) (*Client, error) {
	d, known := dialects[[2]int{version.Major, version.Minor}]
	if !known {
		return nil, refused("--version", ErrUsage,
			fmt.Errorf("msb %s has a command line that is not known here; known are those of 0.6 and 0.7", version))
	}
	return &Client{config: c.config, patience: c.patience, dialect: d}, nil
}

// Features returns what the msb of this client can do.
func (c *Client) Features() Features { return c.dialect.features() }
