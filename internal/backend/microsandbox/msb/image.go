package msb

import (
	"context"
	"encoding/json"
	"fmt"
)

// Image is an image that msb has.
type Image struct {
	Reference string
	// Digest is that of its manifest.
	Digest              string
	Env                 map[string]string
	Entrypoint, Command []string
	User, WorkingDir    string
	Labels              map[string]string
}

// InspectImage returns an image that msb has, or ErrNotFound. It asks nobody
// else.
func (c *Client) InspectImage(ctx context.Context, ref string) (Image, error) {
	if err := checkReference(ref); err != nil {
		return Image{}, refused("image inspect", ErrImageReference, err)
	}
	out, err := c.output(ctx, plain("image", "inspect", "--format=json", ref))
	if err != nil {
		return Image{}, err
	}
	return parseImage(out)
}

func parseImage(out []byte) (Image, error) {
	var in struct {
		Reference string `json:"reference"`
		Digest    string `json:"digest"`
		Config    struct {
			Env        variables         `json:"env"`
			Entrypoint []string          `json:"entrypoint"`
			Command    []string          `json:"cmd"`
			User       string            `json:"user"`
			WorkingDir string            `json:"working_dir"`
			Labels     map[string]string `json:"labels"`
		} `json:"config"`
	}
	if err := json.Unmarshal(out, &in); err != nil {
		return Image{}, unreadable("image inspect", err)
	}
	if !digestPattern.MatchString(in.Digest) {
		return Image{}, unreadable("image inspect", fmt.Errorf("%q is not a digest", excerpt(in.Digest)))
	}
	return Image{
		Reference:  in.Reference,
		Digest:     in.Digest,
		Env:        in.Config.Env,
		Entrypoint: in.Config.Entrypoint,
		Command:    in.Config.Command,
		User:       in.Config.User,
		WorkingDir: in.Config.WorkingDir,
		Labels:     in.Config.Labels,
	}, nil
}

// Pull gets an image from its registry.
func (c *Client) Pull(ctx context.Context, ref string) error {
	if err := checkReference(ref); err != nil {
		return refused("pull", ErrImageReference, err)
	}
	_, err := c.output(ctx, plain("pull", ref))
	return err
}
