package provider_test

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// object and list are how tests write configurations, and read states, without
// Terraform's language. What is left out is null.
type (
	object = map[string]any
	list   = []any
)

// unknown is a value that is known only after apply.
const unknown = unknownValue("(known after apply)")

type unknownValue string

func (c *core) encode(value tftypes.Value) *tfprotov6.DynamicValue {
	c.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		c.t.Fatal(err)
	}
	return &encoded
}

func (c *core) decode(encoded *tfprotov6.DynamicValue, typ tftypes.Type) tftypes.Value {
	c.t.Helper()
	if encoded == nil {
		return tftypes.NewValue(typ, nil)
	}
	value, err := encoded.Unmarshal(typ)
	if err != nil {
		c.t.Fatal(err)
	}
	return value
}

// toValue converts what a test wrote.
func toValue(t *testing.T, typ tftypes.Type, from any) tftypes.Value {
	t.Helper()
	switch from.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case unknownValue:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	elements := func(element tftypes.Type) []tftypes.Value {
		values := make([]tftypes.Value, 0, len(from.(list)))
		for _, value := range from.(list) {
			values = append(values, toValue(t, element, value))
		}
		return values
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		attributes := make(map[string]tftypes.Value, len(typ.AttributeTypes))
		for name := range from.(object) {
			if _, ok := typ.AttributeTypes[name]; !ok {
				t.Fatalf("there is no attribute %s", name)
			}
		}
		for name, attribute := range typ.AttributeTypes {
			attributes[name] = toValue(t, attribute, from.(object)[name])
		}
		return tftypes.NewValue(typ, attributes)
	case tftypes.Map:
		values := make(map[string]tftypes.Value)
		for key, value := range from.(object) {
			values[key] = toValue(t, typ.ElementType, value)
		}
		return tftypes.NewValue(typ, values)
	case tftypes.List:
		return tftypes.NewValue(typ, elements(typ.ElementType))
	case tftypes.Set:
		return tftypes.NewValue(typ, elements(typ.ElementType))
	default:
		return tftypes.NewValue(typ, from)
	}
}

// fromValue converts a value to what a test can compare: whole numbers are
// int64, others float64.
func fromValue(value tftypes.Value) any {
	switch {
	case value.IsNull():
		return nil
	case !value.IsKnown():
		return unknown
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		from := elementsOf[map[string]tftypes.Value](value)
		attributes := make(object, len(from))
		for name, element := range from {
			attributes[name] = fromValue(element)
		}
		return attributes
	case typ.Is(tftypes.List{}), typ.Is(tftypes.Set{}):
		elements := list{}
		for _, element := range elementsOf[[]tftypes.Value](value) {
			elements = append(elements, fromValue(element))
		}
		return elements
	case typ.Is(tftypes.Bool):
		return elementsOf[bool](value)
	case typ.Is(tftypes.Number):
		number := elementsOf[*big.Float](value)
		if whole, accuracy := number.Int64(); accuracy == big.Exact {
			return whole
		}
		fraction, _ := number.Float64()
		return fraction
	default:
		return elementsOf[string](value)
	}
}

func elementsOf[T any](value tftypes.Value) T {
	var elements T
	if err := value.As(&elements); err != nil {
		panic(err)
	}
	return elements
}

// proposedNewState is what Terraform proposes: the configuration, completed with
// what was computed before. Write-only values are not part of it.
func proposedNewState(t *testing.T, schema *tfprotov6.Schema, prior, config tftypes.Value) tftypes.Value {
	t.Helper()
	configured := elementsOf[map[string]tftypes.Value](withoutWriteOnly(t, schema, config))
	var before map[string]tftypes.Value
	if !prior.IsNull() {
		before = elementsOf[map[string]tftypes.Value](prior)
	}
	proposed := make(map[string]tftypes.Value, len(configured))
	for _, attribute := range schema.Block.Attributes {
		value := configured[attribute.Name]
		if attribute.Computed && value.IsNull() {
			var known bool
			if value, known = before[attribute.Name]; !known {
				value = tftypes.NewValue(attribute.ValueType(), tftypes.UnknownValue)
			}
		}
		proposed[attribute.Name] = value
	}
	return tftypes.NewValue(schema.ValueType(), proposed)
}

// withoutWriteOnly makes every write-only value null.
func withoutWriteOnly(t *testing.T, schema *tfprotov6.Schema, value tftypes.Value) tftypes.Value {
	t.Helper()
	result, err := tftypes.Transform(value, func(path *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if attribute := attributeAt(schema, path); attribute != nil && attribute.WriteOnly {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// attributeAt finds the attribute at a path; nil if an element is there.
func attributeAt(schema *tfprotov6.Schema, path *tftypes.AttributePath) *tfprotov6.SchemaAttribute {
	attributes := schema.Block.Attributes
	var found *tfprotov6.SchemaAttribute
	for _, step := range path.Steps() {
		found = nil
		name, ok := step.(tftypes.AttributeName)
		if !ok {
			continue
		}
		for _, attribute := range attributes {
			if attribute.Name == string(name) {
				found = attribute
			}
		}
		if found == nil {
			return nil
		}
		attributes = nil
		if found.NestedType != nil {
			attributes = found.NestedType.Attributes
		}
	}
	return found
}

// checkPlanned fails where Terraform says that the provider produced an invalid
// plan: what is configured is planned, and what is not is computed or null.
func checkPlanned(t *testing.T, schema *tfprotov6.Schema, config, planned tftypes.Value) {
	t.Helper()
	want := elementsOf[map[string]tftypes.Value](withoutWriteOnly(t, schema, config))
	got := elementsOf[map[string]tftypes.Value](planned)
	for _, attribute := range schema.Block.Attributes {
		if attribute.Computed && want[attribute.Name].IsNull() {
			continue
		}
		if !got[attribute.Name].Equal(want[attribute.Name]) {
			t.Errorf("invalid plan for %s: planned %v, configured %v", attribute.Name, fromValue(got[attribute.Name]), fromValue(want[attribute.Name]))
		}
	}
}

// checkConforms fails where Terraform says that the provider produced an
// inconsistent result: what was known before is still so.
func checkConforms(t *testing.T, what string, planned, got tftypes.Value) {
	t.Helper()
	differences, err := planned.Diff(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences {
		if before := difference.Value1; before != nil && !before.IsFullyKnown() || withinUnknown(planned, difference.Path) {
			continue
		}
		t.Errorf("%s is inconsistent with the plan at %s: planned %v, got %v", what, difference.Path, difference.Value1, difference.Value2)
	}
}

// withinUnknown says whether a path leads through a value that is not known.
func withinUnknown(value tftypes.Value, path *tftypes.AttributePath) bool {
	steps := path.Steps()
	for i := range len(steps) + 1 {
		found, _, err := tftypes.WalkAttributePath(value, tftypes.NewAttributePathWithSteps(steps[:i]))
		if err != nil {
			return false
		}
		at, ok := found.(tftypes.Value)
		// The elements of a set are at no path that both values have.
		if ok && (!at.IsKnown() || at.Type().Is(tftypes.Set{}) && !at.IsFullyKnown()) {
			return true
		}
	}
	return false
}
