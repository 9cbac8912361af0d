package provider_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend/fake"
)

// A refresh of many resources asks the engine a few times, not once for each.
func TestRefreshesShareOneQuestion(t *testing.T) {
	t.Parallel()
	const n = 50
	for typeName, list := range map[string]fake.Method{containerType: fake.List, checkpointType: fake.ListArtifacts} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				c := newCore(t, h)
				web := c.reach(c.none(containerType), object{"name": "web", "image": "app:1"})
				instances := make([]instance, n)
				for i := range instances {
					switch typeName {
					case containerType:
						instances[i] = c.reach(c.none(typeName), object{"name": fmt.Sprintf("web-%d", i), "image": "app:1"})
					case checkpointType:
						instances[i] = c.reach(c.none(typeName), object{"name": fmt.Sprintf("orders-%d", i), "container_id": "web"})
					}
				}
				h.ResetCalls()

				// All of them have asked before the first answer comes.
				release := h.Block(list)
				var refreshing sync.WaitGroup
				for i := range instances {
					refreshing.Go(func() { instances[i] = c.mustRefresh(instances[i]) })
				}
				synctest.Wait()
				release()
				refreshing.Wait()

				for i, current := range instances {
					if !current.exists() {
						t.Errorf("%d is gone", i)
					}
				}
				if got := len(h.Calls()); got > 2 {
					t.Errorf("%d refreshes made %d calls: %v", n, got, h.Methods())
				}
				c.mustDestroy(web)
				for _, current := range instances {
					c.mustDestroy(current)
				}
				h.Close()
			})
		})
	}
}
