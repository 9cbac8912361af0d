package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
	"github.com/rightsize/terraform-provider-rightsize/internal/lifetime"
)

func expiresAfterAttribute(noun, counted string) schema.Attribute {
	return schema.StringAttribute{
		MarkdownDescription: fmt.Sprintf("How long the %s is wanted, as a duration such as `72h`. After that it may be cleaned up by `terraform-provider-rightsize -prune`, and by nothing else: "+
			"no plan and no apply removes it, but a plan warns once it has expired. Defaults to no end. The time is counted from %s", noun, counted),
		Optional:   true,
		CustomType: timetypes.GoDurationType{},
		Validators: []validator.String{positiveDuration()},
	}
}

// period is a lifetime as its user wrote it, empty if there is none.
func period(expiresAfter timetypes.GoDuration) lifetime.Period {
	return lifetime.Period(expiresAfter.ValueString())
}

// expiryValue is the value of expires_at.
func expiryValue(at time.Time) timetypes.RFC3339 {
	if at.IsZero() {
		return timetypes.NewRFC3339Null()
	}
	return timetypes.NewRFC3339TimeValue(at)
}

// endOf is the value of expires_at of what was made at a time: unknown as long
// as that or the lifetime is.
func endOf(expiresAfter timetypes.GoDuration, madeAt time.Time) timetypes.RFC3339 {
	switch {
	case expiresAfter.IsNull():
		return timetypes.NewRFC3339Null()
	case expiresAfter.IsUnknown():
		return timetypes.NewRFC3339Unknown()
	}
	end, err := period(expiresAfter).End(madeAt)
	if err != nil {
		return timetypes.NewRFC3339Unknown()
	}
	return timetypes.NewRFC3339TimeValue(end)
}

// refreshedPeriod is the value of expires_after that the registry of lifetimes has.
func refreshedPeriod(recorded lifetime.Period) timetypes.GoDuration {
	if recorded == "" {
		return timetypes.NewGoDurationNull()
	}
	return timetypes.NewGoDurationValueFromStringMust(string(recorded))
}

// warnExpired warns about an object that is going to stay as it is and has
// expired: whoever cleans up next removes it.
func warnExpired(fixtures *fixture.Fixtures, noun string, name types.String, expiresAt timetypes.RFC3339) diag.Diagnostics {
	var diags diag.Diagnostics
	if fixtures == nil || expiresAt.IsNull() || expiresAt.IsUnknown() {
		return diags
	}
	at, diags := expiresAt.ValueRFC3339Time()
	if !diags.HasError() && fixtures.Expired(at) {
		diags.AddAttributeWarning(path.Root("expires_after"), noun+" Has Expired",
			fmt.Sprintf("%s %s expired at %s. It stays as it is until somebody cleans up (terraform-provider-rightsize -prune); the apply after that makes it anew. "+
				"Raise expires_after if it is still wanted.", noun, name.ValueString(), expiresAt.ValueString()))
	}
	return diags
}

// attributeGetter is what configurations, plans and states offer to read.
type attributeGetter interface {
	GetAttribute(ctx context.Context, attribute path.Path, target any) diag.Diagnostics
}

// warnSettled is [warnExpired] for an object for which there is nothing to plan.
// It reads one attribute of most.
func warnSettled(ctx context.Context, fixtures *fixture.Fixtures, noun string, state attributeGetter) diag.Diagnostics {
	var expiresAt timetypes.RFC3339
	diags := state.GetAttribute(ctx, path.Root("expires_at"), &expiresAt)
	if expiresAt.IsNull() || diags.HasError() {
		return diags
	}
	var name types.String
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &name)...)
	diags.Append(warnExpired(fixtures, noun, name, expiresAt)...)
	return diags
}
