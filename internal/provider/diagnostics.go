package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
	"github.com/rightsize/terraform-provider-rightsize/internal/checkpoint"
	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

// locate finds the attribute that is at fault, given what the error says about
// it. It returns false if no attribute is.
type locate func(field backend.Field, index int) (path.Path, bool)

// at puts the fault on one attribute, whatever the error says.
func at(attribute path.Path) locate {
	return func(backend.Field, int) (path.Path, bool) { return attribute, true }
}

// nowhere puts the fault on no attribute.
func nowhere(backend.Field, int) (path.Path, bool) { return path.Path{}, false }

// under finds attributes of a workload below root.
func under(root path.Path) locate {
	return func(field backend.Field, index int) (path.Path, bool) {
		switch field {
		case "":
			return path.Path{}, false
		case backend.FieldFiles, fieldExec:
			return root.AtName(string(field)).AtListIndex(index), true
		case backend.FieldLimits:
			return root.AtName("memory_limit_mb"), true
		default:
			return root.AtName(string(field)), true
		}
	}
}

// The attributes that the use cases report on by a type of error rather than by
// a field.
const (
	fieldExec    backend.Field = "exec"
	fieldWaitFor backend.Field = "wait_for"
	fieldPreset  backend.Field = "preset"
)

// errorDiagnostic is the one place that turns errors into diagnostics. The
// summary is "Unable to <verb> <noun>"; the detail says what was tried, what
// happened and what to do.
func errorDiagnostic(verb, noun string, err error, find locate) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, noun)
	d := describe(err)
	if attribute, ok := find(d.field, d.index); ok {
		// Terraform shows where a top-level attribute is, but not which part
		// of it is meant.
		if len(attribute.Steps()) > 1 {
			d.remedy = strings.TrimSpace(d.remedy + "\n\nThe attribute at fault is " + attribute.String() + ".")
		}
		return diag.NewAttributeErrorDiagnostic(attribute, summary, d.text())
	}
	return diag.NewErrorDiagnostic(summary, d.text())
}

// outcome is an error together with what exists after it and what comes next.
type outcome struct {
	err    error
	exists string
}

func (o *outcome) Error() string { return o.err.Error() }

func (o *outcome) Unwrap() error { return o.err }

// description is an error in the parts of a diagnostic's detail.
type description struct {
	what   string
	remedy string
	output string
	field  backend.Field
	index  int
}

func (d description) text() string {
	parts := []string{sentence(d.what)}
	if d.remedy != "" {
		parts = append(parts, d.remedy)
	}
	if d.output != "" {
		parts = append(parts, d.output)
	}
	return strings.Join(parts, "\n\n")
}

func describe(err error) description {
	d := description{what: err.Error()}
	var (
		engine  *backend.Error
		exited  *readiness.ExitedError
		slow    *readiness.TimeoutError
		step    *fixture.StepError
		usual   *fixture.PresetError
		absent  *fixture.AbsentError
		corrupt *checkpoint.CorruptError
	)
	switch {
	case errors.Is(err, context.Canceled):
		d.what = "the operation was interrupted"
		d.remedy = "Apply again to reach the configured state, or destroy to remove what there is."
	case errors.As(err, &step):
		d.field, d.index = fieldExec, step.Index
		switch {
		case step.Timeout > 0 && step.Index == fixture.Alone:
			d.remedy = "If the command needs more time, raise the limit in the timeouts attribute."
		case step.Timeout > 0:
			d.remedy = "If the step needs more time, raise its timeout."
		}
		if step.Output != "" {
			d.output = "The end of its output:\n\n" + indented(strings.TrimRight(step.Output, "\n"))
		}
		// The container's process may have taken the step with it.
		if errors.As(err, &exited) {
			d.remedy = remedyOf(exited)
			d.output = strings.TrimPrefix(d.output+"\n\n"+lastLines(exited.Log), "\n\n")
		}
	case errors.As(err, &exited):
		d.field, d.remedy, d.output = fieldWaitFor, remedyOf(exited), lastLines(exited.Log)
	case errors.As(err, &slow):
		d.field = fieldWaitFor
		d.remedy = "If the container needs more time, raise wait_for.timeout. The last lines of its log are below."
		d.output = lastLines(slow.Log)
		if errors.As(err, &usual) {
			d.field = fieldPreset
			d.remedy = fmt.Sprintf("This is what the preset %s waits for: make sure that it is the server in the container, or say with wait_for when that is ready. ", usual.Preset) + d.remedy
		}
	case errors.As(err, &absent):
		d.field = fixture.FieldFromCheckpoint
		d.remedy = "Capture it with a rightsize_checkpoint resource, or check that cache_dir and backend are those it was captured with."
	case errors.As(err, &corrupt):
		d.field = fixture.FieldFromCheckpoint
		d.remedy = fmt.Sprintf("The file is left as it is. If nobody needs what it names, delete %s and capture the checkpoint again.", corrupt.Path)
	case errors.As(err, &engine):
		d.remedy, d.field, d.index = engine.Remedy, engine.Field, engine.Index
	}
	if after, ok := errors.AsType[*outcome](err); ok {
		d.remedy = strings.TrimSpace(after.exists + "\n\n" + d.remedy)
	}
	if errors.Is(err, context.DeadlineExceeded) && d.remedy == "" {
		d.remedy = "The operation took longer than it may: raise the limit in the timeouts attribute."
	}
	return d
}

func remedyOf(exited *readiness.ExitedError) string {
	if exited.Exit.OOMKilled {
		return "The container ran out of memory: raise memory_limit_mb. The last lines of its log are below."
	}
	if exited.Exit.Code == 0 {
		return "If the container is a job that is meant to end, set wait_for = { exit = true }. The last lines of its log are below."
	}
	return "Look at the last lines of the container's log below."
}

func lastLines(lines []string) string {
	if len(lines) == 0 {
		return "The container wrote nothing to its log."
	}
	return "The end of the container's log:\n\n" + indented(strings.Join(lines, "\n"))
}

// indented keeps Terraform from wrapping the lines of a log.
func indented(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// sentence makes a sentence of the text of an error.
func sentence(text string) string {
	text = capitalised(text)
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

func capitalised(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
