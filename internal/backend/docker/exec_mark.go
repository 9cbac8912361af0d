package docker

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// markVariable is in the environment of each command.
const markVariable = "RIGHTSIZE_EXEC"

// terminateTimeout bounds what is done for a command that nobody waits for any
// more: whoever pressed Ctrl-C does wait.
const terminateTimeout = 2 * time.Second

// mark tells the processes of one command from all others of its container. The
// engine (20.10 and 26) has no call that ends a command, lets it go on when its
// client has gone, and knows its process by an id of the engine's host alone.
type mark string

func newMark() mark { return mark(rand.Text()) }

func (m mark) variable() string { return markVariable + "=" + string(m) }

// terminateScript ends the processes that have the variable in their
// environment. busybox's grep reads no text with NUL in it.
const terminateScript = `for process in /proc/[0-9]*; do
	tr '\0' '\n' <"$process/environ" | grep -qx "$0" && kill "${process#/proc/}"
done`

// terminate tells the command's processes to end, as far as the image has what
// that takes: a command of an image without a shell goes on until it ends by
// itself. It does so as the command's user, since not even root may look at the
// environment of another user's process in a container. More rights than that
// the programs of an image are not to have.
func (m mark) terminate(ctx context.Context, api *client.Client, id, user string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
	defer cancel()
	created, err := api.ContainerExecCreate(ctx, id, container.ExecOptions{
		Cmd:          []string{"/bin/sh", "-c", terminateScript, m.variable()},
		User:         user,
		AttachStdout: true,
		AttachStderr: true,
	})
	if err != nil {
		return
	}
	stream, err := attach(ctx, api, created.ID)
	if err == nil {
		_ = converse(ctx, stream, backend.Exec{})
	}
}
