package main

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

type object map[string]any

func providerSchemas(schemas *tfprotov6.GetProviderSchemaResponse, identities *tfprotov6.GetResourceIdentitySchemasResponse) object {
	return object{
		"provider":                   schemaObject(schemas.Provider),
		"resource_schemas":           each(schemas.ResourceSchemas, schemaObject),
		"data_source_schemas":        each(schemas.DataSourceSchemas, schemaObject),
		"ephemeral_resource_schemas": each(schemas.EphemeralResourceSchemas, schemaObject),
		"list_resource_schemas":      each(schemas.ListResourceSchemas, schemaObject),
		"action_schemas":             each(schemas.ActionSchemas, func(a *tfprotov6.ActionSchema) object { return schemaObject(a.Schema) }),
		"functions":                  each(schemas.Functions, functionObject),
		"resource_identity_schemas":  each(identities.IdentitySchemas, identityObject),
	}
}

func each[T any](all map[string]T, convert func(T) object) object {
	objects := make(object, len(all))
	for name, one := range all {
		objects[name] = convert(one)
	}
	return objects
}

func schemaObject(schema *tfprotov6.Schema) object {
	return object{"version": schema.Version, "block": object{
		"attributes":       attributesObject(schema.Block.Attributes),
		"description":      schema.Block.Description,
		"description_kind": kind(schema.Block.DescriptionKind),
	}}
}

// attributesObject leaves out what is write-only: the descriptions say it.
func attributesObject(attributes []*tfprotov6.SchemaAttribute) object {
	objects := make(object, len(attributes))
	for _, a := range attributes {
		one := object{
			"description":      a.Description,
			"description_kind": kind(a.DescriptionKind),
			"required":         a.Required,
			"optional":         a.Optional,
			"computed":         a.Computed,
			"sensitive":        a.Sensitive,
			"deprecated":       a.Deprecated,
		}
		if a.NestedType == nil {
			one["type"] = a.Type
		} else {
			one["nested_type"] = object{
				"attributes":   attributesObject(a.NestedType.Attributes),
				"nesting_mode": strings.ToLower(a.NestedType.Nesting.String()),
			}
		}
		objects[a.Name] = one
	}
	return objects
}

func identityObject(schema *tfprotov6.ResourceIdentitySchema) object {
	attributes := make(object, len(schema.IdentityAttributes))
	for _, a := range schema.IdentityAttributes {
		attributes[a.Name] = object{
			"type":                a.Type,
			"description":         a.Description,
			"required_for_import": a.RequiredForImport,
			"optional_for_import": a.OptionalForImport,
		}
	}
	return object{"version": schema.Version, "attributes": attributes}
}

func functionObject(function *tfprotov6.Function) object {
	one := object{
		"summary":             function.Summary,
		"description":         function.Description,
		"deprecation_message": function.DeprecationMessage,
		"return_type":         function.Return.Type,
	}
	parameters := make([]object, 0, len(function.Parameters))
	for _, p := range function.Parameters {
		parameters = append(parameters, parameterObject(p))
	}
	one["parameters"] = parameters
	if function.VariadicParameter != nil {
		one["variadic_parameter"] = parameterObject(function.VariadicParameter)
	}
	return one
}

func parameterObject(p *tfprotov6.FunctionParameter) object {
	return object{"name": p.Name, "description": p.Description, "is_nullable": p.AllowNullValue, "type": p.Type}
}

func kind(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
