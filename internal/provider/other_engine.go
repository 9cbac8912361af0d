package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/rightsize/terraform-provider-rightsize/internal/fixture"
)

// engineKey holds, in private state, the engine that an object lives in. State
// that was written before there was such a record has none, and is accepted.
const engineKey = "engine"

type engineRecord struct {
	ID string `json:"id"`
	// Address is where the engine was reached, for messages: an id tells nobody
	// which one it is.
	Address string `json:"address"`
}

// activeEngine identifies the engine that operations go to.
func activeEngine(ctx context.Context, fixtures *fixture.Fixtures) (engineRecord, error) {
	b, err := fixtures.Backend(ctx)
	if err != nil {
		return engineRecord{}, err
	}
	engine, err := b.Engine(ctx)
	return engineRecord{ID: engine.ID, Address: engine.Address}, err
}

// writeEngine records that an object lives in the active engine.
func writeEngine(ctx context.Context, fixtures *fixture.Fixtures, private privateWriter) diag.Diagnostics {
	engine, err := activeEngine(ctx, fixtures)
	if err != nil {
		return diag.Diagnostics{errorDiagnostic("Identify", "Engine", err, nowhere)}
	}
	data, err := json.Marshal(engine)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Unwritable Private State", err.Error())}
	}
	return private.SetKey(ctx, engineKey, data)
}

// otherEngine returns an error if state records an object of an engine that is
// not the active one. There it is neither gone nor to be deleted, whatever the
// active engine has under its name. An object that the active engine does have
// proves that only the engine's id has changed; present looks for it.
func otherEngine(ctx context.Context, fixtures *fixture.Fixtures, private privateReader, what string, present func() bool) diag.Diagnostics {
	data, diags := private.GetKey(ctx, engineKey)
	if data == nil || diags.HasError() {
		return diags
	}
	var recorded engineRecord
	if err := json.Unmarshal(data, &recorded); err != nil {
		diags.AddError("Unreadable Private State", "The private state of the resource holds something this provider did not write under "+engineKey+": "+err.Error()+".")
		return diags
	}
	active, err := activeEngine(ctx, fixtures)
	if err != nil {
		diags.Append(errorDiagnostic("Identify", "Engine", err, nowhere))
		return diags
	}
	if recorded.ID == active.ID || present() {
		return diags
	}
	diags.AddError("State Belongs to Another Engine",
		fmt.Sprintf("%s was created on the engine %s at %s, and the active engine is %s at %s.\n\n"+
			"Point the provider at the first one (docker block, DOCKER_HOST or DOCKER_CONTEXT) to go on with it. "+
			"To create it on the active engine instead, remove it from state first (terraform state rm).",
			capitalised(what), recorded.ID, recorded.Address, active.ID, active.Address))
	return diags
}
