package provider_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// No content reaches Terraform's files.
func TestTerraformSecrets(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TF_ACC_TEMP_DIR", dir)
	h := newHarness(t)
	workload := fmt.Sprintf(`{
    image = "app:1"
    files = [{ path = "/a", content = %q }, { path = "/b", content_base64 = base64encode(%q) }]
    exec  = [{ command = ["cat"], stdin = %q }]
  }`, secrets.content, secrets.binary, secrets.stdin)
	config := h.config(fmt.Sprintf(`
resource "rightsize_checkpoint" "orders" {
  name = "orders"
  seed = %[1]s
}
resource "rightsize_container" "web" {
  image = "app:1"
  files = [{ path = "/a", content = %[2]q }, { path = "/b", content_base64 = base64encode(%[3]q) }]
  exec  = [{ command = ["cat"], stdin = %[4]q }]
}
`, workload, secrets.content, secrets.binary, secrets.stdin))
	states := 0
	search := func(*terraform.State) error {
		return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.Contains(filepath.Base(path), "tfstate") {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if strings.Contains(string(content), "rightsize_container") {
				states++
			}
			for _, secret := range []string{secrets.content, secrets.binary, secrets.stdin, "YmluYXJ5LTc3YWE="} {
				if strings.Contains(string(content), secret) {
					return errors.New(secret + " is in " + path)
				}
			}
			return nil
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: h.factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		Steps:                    []resource.TestStep{{Config: config, Check: search}},
	})
	if os.Getenv("TF_ACC") != "" && states == 0 {
		t.Error("no state was searched")
	}
}
