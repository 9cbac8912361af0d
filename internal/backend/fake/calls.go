package fake

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// Method names a method of [backend.Backend].
type Method string

// The methods that contact the engine.
const (
	Engine         Method = "Engine"
	Create         Method = "Create"
	Start          Method = "Start"
	Stop           Method = "Stop"
	Remove         Method = "Remove"
	Update         Method = "Update"
	Exec           Method = "Exec"
	CopyFrom       Method = "CopyFrom"
	Inspect        Method = "Inspect"
	List           Method = "List"
	Wait           Method = "Wait"
	WaitHealthy    Method = "WaitHealthy"
	Logs           Method = "Logs"
	Capture        Method = "Capture"
	Publish        Method = "Publish"
	RemoveArtifact Method = "RemoveArtifact"
	Collect        Method = "Collect"
	Artifact       Method = "Artifact"
	ListArtifacts  Method = "ListArtifacts"
	CreateNetwork  Method = "CreateNetwork"
	RemoveNetwork  Method = "RemoveNetwork"
	InspectNetwork Method = "InspectNetwork"
	ListNetworks   Method = "ListNetworks"
	Attach         Method = "Attach"
)

var methods = map[Method]struct{ mutates bool }{
	Engine: {}, Create: {true}, Start: {true}, Stop: {true}, Remove: {true}, Update: {true}, Exec: {true},
	CopyFrom: {}, Inspect: {}, List: {}, Wait: {}, WaitHealthy: {}, Logs: {},
	Capture: {true}, Publish: {true}, RemoveArtifact: {true}, Collect: {true}, Artifact: {}, ListArtifacts: {},
	CreateNetwork: {true}, RemoveNetwork: {true}, InspectNetwork: {}, ListNetworks: {}, Attach: {true},
}

// Call is one call of a method, as its caller made it.
type Call struct {
	Method Method
	// Target is the container, by the id or the name that the caller used;
	// the name of the checkpoint for Publish and Collect; the ref or the id
	// of the artifact for Artifact and RemoveArtifact; the network, by its id or
	// its name, for those of networks.
	Target string
	// Spec is set for Create and Start.
	Spec backend.Spec
	// Exec is set for Exec, without its streams.
	Exec backend.Exec
	// Path is set for CopyFrom.
	Path string
	// Grace is set for Stop.
	Grace time.Duration
	// Limits is set for Update.
	Limits backend.Limits
	// Logs is set for Logs.
	Logs backend.LogOptions
	// Capture is set for Capture, without its Progress.
	Capture backend.CaptureOptions
	// Network is set for CreateNetwork.
	Network backend.NetworkSpec
	// Attachments is set for Attach.
	Attachments []backend.Attachment
	// ArtifactID is what Publish publishes and what Collect keeps.
	ArtifactID string
}

type recorder struct {
	mu    sync.Mutex
	calls []Call
	// changed is closed, and replaced, at every call.
	changed chan struct{}
}

func (r *recorder) record(call Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
	close(r.changed)
	r.changed = make(chan struct{})
}

// Calls returns every call so far in the order in which they arrived, those
// that failed included.
func (b *Backend) Calls() []Call {
	b.recorder.mu.Lock()
	defer b.recorder.mu.Unlock()
	return slices.Clone(b.recorder.calls)
}

// Methods returns the methods of [Backend.Calls], for a comparison.
func (b *Backend) Methods() []Method {
	calls := b.Calls()
	names := make([]Method, len(calls))
	for i, call := range calls {
		names[i] = call.Method
	}
	return names
}

// Mutations returns the calls that change the engine. A plan, a read and a data
// source make none.
func (b *Backend) Mutations() []Call {
	return slices.DeleteFunc(b.Calls(), func(call Call) bool { return !methods[call.Method].mutates })
}

// CallsOf returns the calls of one method.
func (b *Backend) CallsOf(method Method) []Call {
	mustExist(method)
	return slices.DeleteFunc(b.Calls(), func(call Call) bool { return call.Method != method })
}

// Count returns how often a method was called.
func (b *Backend) Count(method Method) int { return len(b.CallsOf(method)) }

// ResetCalls forgets the calls so far.
func (b *Backend) ResetCalls() {
	b.recorder.mu.Lock()
	defer b.recorder.mu.Unlock()
	b.recorder.calls = nil
}

// AwaitCalls blocks until a method was called n times, counting calls that are
// still under way.
func (b *Backend) AwaitCalls(ctx context.Context, method Method, n int) error {
	mustExist(method)
	for {
		b.recorder.mu.Lock()
		changed := b.recorder.changed
		b.recorder.mu.Unlock()
		count := b.Count(method)
		if count >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d calls of %s, saw %d: %w", n, method, count, ctx.Err())
		}
	}
}

func mustExist(method Method) {
	if _, ok := methods[method]; !ok {
		panic(fmt.Sprintf("fake: a backend has no method %q", method))
	}
}
