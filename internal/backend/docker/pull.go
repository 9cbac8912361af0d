package docker

import "context"

func (b *Backend) pull(ctx context.Context, ref parsedReference) error {
	_, err := b.api(ctx)
	return err
}
