package docker

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// object is a JSON object whose members are kept undecoded, so that a copy
// differs from its source only in what was changed, fields that this package
// has never heard of included.
type object map[string]json.RawMessage

// take returns a member by its name in any case, as the engine's decoder finds
// it, and removes it.
func (o object) take(name string) json.RawMessage {
	var found json.RawMessage
	for key, value := range o {
		if strings.EqualFold(key, name) {
			if found == nil || key == name {
				found = value
			}
			delete(o, key)
		}
	}
	return found
}

// configFromInspect writes the image configuration that the engine's inspect
// response stands for, and returns the digests of the image's layers. The
// history is left out: inspect does not tell it, and the engine runs without.
func configFromInspect(inspect []byte) (config []byte, layers []string, err error) {
	var in struct {
		Architecture string          `json:"Architecture"`
		Variant      string          `json:"Variant"`
		OS           string          `json:"Os"`
		OSVersion    string          `json:"OsVersion"`
		Author       string          `json:"Author"`
		Comment      string          `json:"Comment"`
		Created      string          `json:"Created"`
		Config       json.RawMessage `json:"Config"`
		RootFS       struct {
			Type   string   `json:"Type"`
			Layers []string `json:"Layers"`
		} `json:"RootFS"`
	}
	if err := json.Unmarshal(inspect, &in); err != nil {
		return nil, nil, fmt.Errorf("read the engine's description of the image: %w", err)
	}
	if in.RootFS.Type != "layers" {
		return nil, nil, fmt.Errorf("the image's root filesystem is of type %q, not layers", in.RootFS.Type)
	}

	type rootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	config, err = json.Marshal(struct {
		Architecture string          `json:"architecture"`
		Variant      string          `json:"variant,omitempty"`
		OS           string          `json:"os"`
		OSVersion    string          `json:"os.version,omitempty"`
		Author       string          `json:"author,omitempty"`
		Comment      string          `json:"comment,omitempty"`
		Created      string          `json:"created,omitempty"`
		Config       json.RawMessage `json:"config"`
		RootFS       rootFS          `json:"rootfs"`
	}{
		Architecture: in.Architecture,
		Variant:      in.Variant,
		OS:           in.OS,
		OSVersion:    in.OSVersion,
		Author:       in.Author,
		Comment:      in.Comment,
		Created:      in.Created,
		Config:       in.Config,
		RootFS:       rootFS{Type: in.RootFS.Type, DiffIDs: in.RootFS.Layers},
	})
	return config, in.RootFS.Layers, err
}

// withoutVolumes returns an image configuration without its volumes and with
// the label that marks it as a copy of the image sourceID.
func withoutVolumes(config []byte, sourceID string) ([]byte, error) {
	var whole, run object
	if err := json.Unmarshal(config, &whole); err != nil {
		return nil, fmt.Errorf("read the image's configuration: %w", err)
	}
	if err := json.Unmarshal(whole.take("config"), &run); err != nil {
		return nil, fmt.Errorf("read the image's configuration: %w", err)
	}
	if run == nil {
		return nil, errors.New("the image's configuration says nothing about how to run it")
	}
	run.take("Volumes")

	labels := map[string]string{}
	if raw := run.take("Labels"); raw != nil {
		if err := json.Unmarshal(raw, &labels); err != nil {
			return nil, fmt.Errorf("read the image's labels: %w", err)
		}
	}
	if labels == nil { // "Labels": null
		labels = map[string]string{}
	}
	labels[labelBaseOf] = sourceID

	var err error
	if run["Labels"], err = json.Marshal(labels); err != nil {
		return nil, err
	}
	if whole["config"], err = json.Marshal(run); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}
