package provider_test

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// tellRedis sends one command on a connection of its own, and returns what is
// answered to it.
func tellRedis(port, command string) (string, error) {
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Minute)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "$") && line != "$-1" {
		line, err = r.ReadString('\n')
	}
	return strings.TrimSpace(line), err
}

// requests asks a server again and again, until it is told to stop.
type requests struct {
	stop      chan struct{}
	done      chan struct{}
	answered  atomic.Int64
	slowest   atomic.Int64
	failed    atomic.Int64
	complaint atomic.Value
}

func ask(port string) *requests {
	r := &requests{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for {
			select {
			case <-r.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			began := time.Now()
			answer, err := tellRedis(port, "PING")
			if err != nil || answer != "+PONG" {
				r.failed.Add(1)
				r.complaint.Store(fmt.Sprintf("%q, %v", answer, err))
			}
			r.answered.Add(1)
			r.slowest.Store(max(r.slowest.Load(), int64(time.Since(began))))
		}
	}()
	return r
}

// TestAccWarm leads a Redis that keeps nothing on its disk through captures of its
// memory, with the real msb 0.7.
func TestAccWarm(t *testing.T) {
	e := onMicroVMs(t)
	const first, second = "rightsize_container.cache[0]", "rightsize_container.cache[1]"
	stack := func(trigger, more string) string {
		return e.config(fmt.Sprintf(`
resource "rightsize_checkpoint" "cache" {
  name = "acc-warm"
  seed = {
    image           = %q
    command         = ["redis-server", "--save", "", "--appendonly", "no", "--protected-mode", "no"]
    exposed_ports   = [6379]
    memory_limit_mb = 192
    warm            = true
    wait_for        = { log = { pattern = "Ready to accept connections" } }
    exec            = [{ command = ["redis-cli", "SET", "greeting", "seeded"] }]
  }
}
resource "rightsize_container" "cache" {
  count           = 2
  name            = "acc-warm-${count.index}"
  from_checkpoint = rightsize_checkpoint.cache.id
  reset_trigger   = %q
  stop_timeout    = "1s"
}
%s`, redisImage, trigger, more))
	}
	port := func(s *terraform.State, name string) string {
		address := strings.NewReplacer("[", ".", "]", "").Replace(name)
		return s.RootModule().Resources[address].Primary.Attributes["mapped_ports.6379"]
	}
	greets := func(want string) resource.TestCheckFunc {
		return func(s *terraform.State) error {
			for _, name := range []string{first, second} {
				if got, err := tellRedis(port(s, name), "GET greeting"); got != want || err != nil {
					t.Errorf("%s answers %q, %v, want %q", name, got, err, want)
				}
			}
			return nil
		}
	}
	samePorts := statecheck.CompareValue(compare.ValuesSame())
	ports := func() []statecheck.StateCheck {
		return []statecheck.StateCheck{samePorts.AddStateValue(first, tfjsonpath.New("mapped_ports"))}
	}
	var traffic *requests
	var used string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: accProviders,
		CheckDestroy:             e.nothingLeft(t, "acc-warm"),
		Steps: []resource.TestStep{
			{
				Config:            stack("1", ""),
				ConfigStateChecks: ports(),
				Check: func(s *terraform.State) error {
					attributes := s.RootModule().Resources["rightsize_checkpoint.cache"].Primary.Attributes
					if attributes["resumes.memory_limit_mb"] != "192" || attributes["resumes.engine"] != "0.7" {
						t.Errorf("a copy needs %q MiB and engine %q", attributes["resumes.memory_limit_mb"], attributes["resumes.engine"])
					}
					t.Logf("the seed stood still for %s ms, and the checkpoint takes %s bytes", attributes["pause_ms"], attributes["size_bytes"])
					used = port(s, first)
					if answer, err := tellRedis(used, "SET greeting changed"); answer != "+OK" {
						t.Errorf("SET = %q, %v", answer, err)
					}
					if got, err := tellRedis(port(s, second), "GET greeting"); got != "seeded" || err != nil {
						t.Errorf("the other copy answers %q, %v", got, err)
					}
					return nil
				},
			},
			{
				// Back to the captured instant, which no disk holds.
				Config:            stack("2", ""),
				ConfigStateChecks: ports(),
				Check:             greets("seeded"),
			},
			{
				// A capture that its users do not notice.
				PreConfig: func() { traffic = ask(used) },
				Config: stack("2", `
resource "rightsize_checkpoint" "live" {
  name         = "acc-warm-live"
  container_id = rightsize_container.cache[0].container_id
}`),
				ConfigStateChecks: ports(),
				Check: func(s *terraform.State) error {
					close(traffic.stop)
					<-traffic.done
					if traffic.failed.Load() > 0 || traffic.answered.Load() == 0 {
						t.Errorf("%d of %d requests failed: %v", traffic.failed.Load(), traffic.answered.Load(), traffic.complaint.Load())
					}
					pause := s.RootModule().Resources["rightsize_checkpoint.live"].Primary.Attributes["pause_ms"]
					if n, err := strconv.Atoi(pause); err != nil || n <= 0 {
						t.Errorf("the pause is %q", pause)
					}
					t.Logf("%d requests were answered meanwhile, the slowest in %s, while it stood still for %s ms",
						traffic.answered.Load(), time.Duration(traffic.slowest.Load()), pause)
					return greets("seeded")(s)
				},
			},
		},
	})
}
