package docker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// sizeOption is the storage option that bounds a container's writable layer.
const sizeOption = "size"

// storageOptions are the storage driver's options for a container.
func storageOptions(spec backend.Spec) map[string]string {
	if spec.DiskMB == 0 {
		return nil
	}
	return map[string]string{sizeOption: strconv.FormatInt(spec.DiskMB, 10) + "M"}
}

// diskOf is the reverse of storageOptions. A size that somebody else gave in
// another unit is not told.
func diskOf(options map[string]string) int64 {
	size, ok := strings.CutSuffix(strings.ToUpper(options[sizeOption]), "M")
	if !ok {
		return 0
	}
	megabytes, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return 0
	}
	return megabytes
}

// diskRemedy says where a bound of the disk works.
const diskRemedy = "Unset disk_limit_mb, or use an engine that can bound a container's disk: with the storage driver overlay2 on xfs " +
	"that is mounted with pquota, or with btrfs or zfs. On the backend microsandbox it always works."

// checkRoot refuses what no engine does, and what this one would only seem to
// do.
func (b *Backend) checkRoot(ctx context.Context, spec backend.Spec) error {
	tried := "create container " + spec.Name
	if spec.TmpfsRootMB > 0 {
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  errors.New("the filesystem of a container cannot be kept in memory on Docker"),
			Remedy: fmt.Sprintf("Unset tmpfs_root_mb, or use the backend %q.", backend.Microsandbox),
			Field:  backend.FieldTmpfsRoot,
		}
	}
	if spec.DiskMB == 0 {
		return nil
	}
	engine, err := b.describe(ctx)
	if err != nil {
		return err
	}
	if engine.containerdStore {
		// It takes the option without a word and sets no bound (26.1).
		return &backend.Error{
			Kind: backend.ErrUnsupported, Tried: tried,
			Cause:  errors.New("an engine with the containerd image store does not bound the disk of a container"),
			Remedy: diskRemedy,
			Field:  backend.FieldDiskLimit,
		}
	}
	return nil
}

// storageOptionText is in what storage drivers answer that do not bound the disk
// of a container; the class of the error is that of any internal one. Docker
// Engine 20.10.24, overlay2 on ext4: "--storage-opt is supported only for
// overlay over xfs with 'pquota' mount option".
const storageOptionText = "--storage-opt"

// failRoot says that the bound of the disk is at fault if the storage driver
// refused it.
func failRoot(err error) error {
	failure, ok := errors.AsType[*backend.Error](err)
	if ok && failure.Kind == nil && failure.Cause != nil && strings.Contains(failure.Cause.Error(), storageOptionText) {
		failure.Kind = backend.ErrUnsupported
		failure.Field = backend.FieldDiskLimit
		failure.Remedy = diskRemedy
	}
	return err
}
