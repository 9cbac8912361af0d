package provider

import (
	"cmp"
	"context"
	"net/http"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/readiness"
)

type waitForModel struct {
	Log     *waitForLogModel     `tfsdk:"log"`
	Port    types.String         `tfsdk:"port"`
	HTTP    *waitForHTTPModel    `tfsdk:"http"`
	Exec    *waitForExecModel    `tfsdk:"exec"`
	Health  types.Bool           `tfsdk:"health"`
	Exit    types.Bool           `tfsdk:"exit"`
	Timeout timetypes.GoDuration `tfsdk:"timeout"`
}

type waitForLogModel struct {
	Pattern types.String `tfsdk:"pattern"`
	Times   types.Int64  `tfsdk:"times"`
}

type waitForHTTPModel struct {
	Path   types.String `tfsdk:"path"`
	Port   types.String `tfsdk:"port"`
	Status types.Int64  `tfsdk:"status"`
	Body   types.String `tfsdk:"body"`
}

type waitForExecModel struct {
	Command []string `tfsdk:"command"`
}

// toWait converts the wait of a configuration that is known.
func (m workloadModel) toWait(ctx context.Context, root path.Path) (fixture.Wait, diag.Diagnostics) {
	if m.WaitFor.IsNull() {
		return fixture.Wait{Timeout: fixture.DefaultWaitTimeout}, nil
	}
	var model waitForModel
	diags := m.WaitFor.As(ctx, &model, basetypes.ObjectAsOptions{})
	if diags.HasError() {
		return fixture.Wait{}, diags
	}
	wait := fixture.Wait{Timeout: duration(model.Timeout, fixture.DefaultWaitTimeout)}
	compile := func(attribute path.Path, pattern types.String) *regexp.Regexp {
		if pattern.IsNull() {
			return nil
		}
		re, err := regexp.Compile(pattern.ValueString())
		if err != nil {
			diags.AddAttributeError(attribute, "Invalid Value", err.Error())
		}
		return re
	}
	add := func(s readiness.Strategy) { wait.Strategies = append(wait.Strategies, s) }

	if log := model.Log; log != nil {
		add(readiness.Log{
			Pattern: compile(root.AtName("log").AtName("pattern"), log.Pattern),
			Times:   int(cmp.Or(log.Times.ValueInt64(), 1)),
		})
	}
	if !model.Port.IsNull() {
		add(readiness.Port{Port: model.Port.ValueString()})
	}
	if request := model.HTTP; request != nil {
		port := request.Port.ValueString()
		if port == "" {
			port = m.onlyExposedPort()
		}
		add(readiness.HTTP{
			Port:   port,
			Path:   request.Path.ValueString(),
			Status: int(cmp.Or(request.Status.ValueInt64(), http.StatusOK)),
			Body:   compile(root.AtName("http").AtName("body"), request.Body),
		})
	}
	if model.Exec != nil {
		add(readiness.Command{Command: model.Exec.Command})
	}
	if model.Health.ValueBool() {
		add(readiness.Health{})
	}
	if model.Exit.ValueBool() {
		add(readiness.Completed{})
	}
	return wait, diags
}

// onlyExposedPort is the port of exposed_ports if there is one only.
func (m workloadModel) onlyExposedPort() string {
	elements := m.ExposedPorts.Elements()
	if len(elements) != 1 {
		return ""
	}
	port, _ := elements[0].(types.String)
	return port.ValueString()
}
