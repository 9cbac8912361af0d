//go:build !unix

package microsandbox

import (
	"context"
	"errors"
	"os"
)

// There is no msb for these platforms.

func (rec *record) hold(context.Context) (*os.File, error) { return nil, errors.ErrUnsupported }

func (rec *record) alive() bool { return false }
