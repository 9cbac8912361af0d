package preset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

// The guide has a row for each preset that says what the table says.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "presets.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range preset.All() {
		if row := guideRow(p); !strings.Contains(string(guide), row+"\n") {
			t.Errorf("the guide misses the row\n%s", row)
		}
	}
}

func guideRow(p preset.Preset) string {
	ready := "`GET " + p.Ready.Path + "` is answered with 200"
	if p.Ready.Line != "" {
		ready = "`" + strings.ReplaceAll(p.Ready.Line, "|", `\|`) + "`"
	}
	env := make(map[string]string)
	var variables []string
	give := func(v preset.Value, example string) {
		for i, name := range v.Env {
			if i == 0 {
				env[name] = example
			}
			variables = append(variables, "`"+name+"`")
		}
	}
	for _, account := range p.URI.Accounts {
		give(account.User, "user")
		give(account.Password, "password")
	}
	give(p.URI.Database, "database")
	if len(variables) == 0 {
		variables = []string{"–"}
	}
	return fmt.Sprintf("| `%s` | `%s` | %d | %s | `%s` | %s |", p.Name, strings.Join(p.Images, "`, `"), p.Port, ready,
		p.ConnectionURI(env, "127.0.0.1", 63642), strings.Join(variables, ", "))
}
