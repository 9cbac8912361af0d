package provider_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The guide is sorted by the first line of what a user sees, so each summary that
// the provider can give is part of a heading, and no heading is of one that it no
// longer gives.
func TestTroubleshootingHasEachSummary(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	headings := make(map[string]bool)
	for _, heading := range regexp.MustCompile(`(?m)^## (?:Warning: )?(.+)$`).FindAllStringSubmatch(string(guide), -1) {
		for summary := range strings.SplitSeq(heading[1], ", ") {
			headings[summary] = true
		}
	}
	given := summaries(t)
	if len(given) < 40 {
		t.Fatalf("only %d summaries were found in the code: %v", len(given), given)
	}
	for summary, where := range given {
		if !headings[summary] {
			t.Errorf("the guide has no heading with %q, of %s", summary, where)
		}
	}
	for heading := range headings {
		if _, ok := given[heading]; !ok && strings.HasPrefix(heading, "Unable to ") {
			t.Errorf("nothing gives %q", heading)
		}
	}
}

// title matches a summary that is written out: each word of it begins with a
// capital.
var title = regexp.MustCompile(`^[A-Z][a-z]+( [A-Z][a-z]*| in| to| by)+$`)

// summaries returns the summaries in the code of this package, with the place
// where each of them was found.
func summaries(t *testing.T) map[string]token.Position {
	t.Helper()
	files := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	constants := make(map[string]string)
	found := make(map[string]token.Position)
	parts := make(map[ast.Node]bool) // literals that are half a summary
	inspect := func(visit func(ast.Node)) {
		for _, file := range parsed {
			ast.Inspect(file, func(n ast.Node) bool { visit(n); return true })
		}
	}
	inspect(func(n ast.Node) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return
		}
		name, value := spec.Names[0].Name, literal(spec.Values[0])
		constants[name] = value
		if strings.HasPrefix(name, "verb") { // of what makes a container, whose verbs differ
			found["Unable to "+value+" Container"] = files.Position(n.Pos())
		}
	})
	text := func(e ast.Expr) string {
		if name, ok := e.(*ast.Ident); ok {
			return constants[name.Name]
		}
		return literal(e)
	}
	inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		name, ok := call.Fun.(*ast.Ident)
		switch {
		case !ok:
		case name.Name == "errorDiagnostic":
			parts[call.Args[0]], parts[call.Args[1]] = true, true
			if verb, noun := text(call.Args[0]), text(call.Args[1]); verb != "" && noun != "" {
				found["Unable to "+verb+" "+noun] = files.Position(n.Pos())
			}
		case name.Name == "fail": // of an update of a container, whose verbs differ, too
			parts[call.Args[0]] = true
			found["Unable to "+text(call.Args[0])+" Container"] = files.Position(n.Pos())
		}
	})
	inspect(func(n ast.Node) {
		if e, ok := n.(ast.Expr); ok && !parts[n] && title.MatchString(literal(e)) {
			found[literal(e)] = files.Position(n.Pos())
		}
	})
	return found
}

// literal returns the value of a string literal, or nothing.
func literal(e ast.Expr) string {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(basic.Value)
	if err != nil {
		return ""
	}
	return value
}
