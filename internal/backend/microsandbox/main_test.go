package microsandbox_test

import (
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/microsandbox/msbtest"
)

func TestMain(m *testing.M) { msbtest.Main(m) }
