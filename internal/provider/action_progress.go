package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
)

// reporterKey is the key of what receives the steps of an action, in its context.
type reporterKey struct{}

// reporting returns a context in which each step of a use case is a message to
// the user of an action. finish is called when the action has ended.
//
// The framework hands a message over by waiting until Terraform reads it, which is
// for ever if Terraform has gone. An operation that has paused a container must
// not wait for that: it goes on as soon as the context of the call is done.
func reporting(ctx context.Context, send func(action.InvokeProgressEvent)) (reported context.Context, finish func()) {
	messages := make(chan string)
	ended, sent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sent)
		for {
			select {
			case message := <-messages:
				send(action.InvokeProgressEvent{Message: message})
			case <-ended:
				return
			}
		}
	}()
	report := func(message string) {
		select {
		case messages <- message:
		case <-ended:
		case <-ctx.Done():
		}
	}
	finish = func() {
		close(ended)
		select {
		case <-sent:
		case <-ctx.Done():
		}
	}
	return context.WithValue(ctx, reporterKey{}, report), finish
}

// report sends a message to the user of the action whose context it is, if any.
func report(ctx context.Context, message string) {
	if send, ok := ctx.Value(reporterKey{}).(func(string)); ok {
		send(message)
	}
}

// reportStep is report for a step of a use case, with what it is about.
func reportStep(ctx context.Context, step string, keysAndValues []any) {
	if ctx.Value(reporterKey{}) == nil {
		return
	}
	var about []string
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		about = append(about, fmt.Sprintf("%v %v", keysAndValues[i], keysAndValues[i+1]))
	}
	message := capitalised(step)
	if len(about) > 0 {
		message += " (" + strings.Join(about, ", ") + ")"
	}
	report(ctx, message)
}
