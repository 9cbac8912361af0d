package provider_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

const (
	redisImage    = "rightsize-test/redis:7"
	mariadbImage  = "rightsize-test/mariadb:10"
	rabbitmqImage = "rightsize-test/rabbitmq:3"
)

// awkward is a password that reaches its server only if every part of the way
// quotes and encodes it right.
const awkward = `it's "50%"+@:/?#[]`

// TestAccPreset starts a real server with nothing but its preset, and connects to
// it, to what is seeded in it and restored, and to both after a stop, as a client
// that knows connection_uri alone.
func TestAccPreset(t *testing.T) {
	onDefaultEngine(t, func(t *testing.T, e accEngine) {
		for name, tc := range map[string]struct {
			image string
			env   string
			// seed are the steps that put something into the server.
			seed string
			// connect fails unless a client gets in, and says whether it finds what
			// was seeded.
			connect func(t *testing.T, e accEngine, uri string) (seeded bool)
		}{
			"postgres": {
				image: postgresImage,
				env:   fmt.Sprintf(`{ POSTGRES_USER = "ada", POSTGRES_PASSWORD = %q, POSTGRES_DB = "orders and more" }`, awkward),
				seed:  `[{ command = ["psql", "-v", "ON_ERROR_STOP=1", "-U", "ada", "-d", "orders and more", "-c", "create table seeded ()"] }]`,
				connect: func(t *testing.T, e accEngine, uri string) bool {
					return e.client(t, "psql", postgresImage, uri, "-tAc", "select to_regclass('seeded')") == "seeded"
				},
			},
			"mariadb": {
				image: mariadbImage,
				env:   fmt.Sprintf(`{ MARIADB_ROOT_PASSWORD = "root", MARIADB_USER = "ada", MARIADB_PASSWORD = %q, MARIADB_DATABASE = "orders_1" }`, awkward),
				seed:  `[{ command = ["mariadb", "-uroot", "-proot", "orders_1", "-e", "create table seeded (id int)"] }]`,
				connect: func(t *testing.T, e accEngine, uri string) bool {
					server := parseURI(t, uri)
					password, _ := server.User.Password()
					return e.client(t, "mariadb", mariadbImage, "--host="+server.Hostname(), "--port="+server.Port(),
						"--user="+server.User.Username(), "--password="+password, "--batch", "--skip-column-names", server.Path[1:], "-e", "show tables") == "seeded"
				},
			},
			"redis": {
				image: redisImage,
				env:   `{}`,
				seed:  `[{ command = ["redis-cli", "set", "seeded", "yes"] }]`,
				connect: func(t *testing.T, _ accEngine, uri string) bool {
					conn := dial(t, parseURI(t, uri).Host)
					fmt.Fprint(conn, "EXISTS seeded\r\n")
					reply, err := bufio.NewReader(conn).ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					return reply == ":1\r\n"
				},
			},
			"rabbitmq": {
				image: rabbitmqImage,
				env:   fmt.Sprintf(`{ RABBITMQ_DEFAULT_USER = "ada", RABBITMQ_DEFAULT_PASS = %q, RABBITMQ_NODENAME = "rabbit@localhost" }`, awkward),
				seed:  `[{ command = ["rabbitmqctl", "add_vhost", "seeded"] }, { command = ["rabbitmqctl", "set_permissions", "-p", "seeded", "ada", ".*", ".*", ".*"] }]`,
				connect: func(t *testing.T, _ accEngine, uri string) bool {
					if err := openAMQP(t, uri); err != nil {
						t.Fatal(err)
					}
					return openAMQP(t, uri+"/seeded") == nil
				},
			},
		} {
			t.Run(name, func(t *testing.T) {
				prefix := "acc-preset-" + name
				config := e.config(fmt.Sprintf(`
resource "rightsize_container" "fresh" {
  name   = "%[1]s-fresh"
  image  = %[2]q
  env    = %[3]s
  preset = %[4]q
}

resource "rightsize_checkpoint" "seeded" {
  name = %[1]q
  seed = {
    image  = %[2]q
    env    = %[3]s
    preset = %[4]q
    exec   = %[5]s
  }
}

resource "rightsize_container" "copy" {
  name            = "%[1]s-copy"
  from_checkpoint = rightsize_checkpoint.seeded.id
  preset          = %[4]q
}
`, prefix, tc.image, tc.env, name, tc.seed))
				check := func(state *terraform.State) error {
					for container, seeded := range map[string]bool{"fresh": false, "copy": true} {
						uri := state.RootModule().Resources["rightsize_container."+container].Primary.Attributes["connection_uri"]
						if got := tc.connect(t, e, uri); got != seeded {
							t.Errorf("%s: what was seeded is there: %t", container, got)
						}
					}
					return nil
				}
				resource.Test(t, resource.TestCase{
					ProtoV6ProviderFactories: accProviders,
					CheckDestroy:             e.nothingLeft(t, prefix),
					Steps: []resource.TestStep{
						{Config: config, Check: check},
						{
							// A restart is awaited by other means than a first boot.
							PreConfig: func() { e.docker(t, "stop", prefix+"-fresh", prefix+"-copy") },
							Config:    config,
							Check:     check,
						},
					},
				})
			})
		}
	})
}

// client runs a program of an image beside the containers, as a user of this host
// would, and returns what it prints.
func (e accEngine) client(t *testing.T, program, image string, args ...string) string {
	t.Helper()
	return e.docker(t, append([]string{"run", "--rm", "--network", "host", "--entrypoint", program, image}, args...)...)
}

func parseURI(t *testing.T, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	var dialer net.Dialer
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}
