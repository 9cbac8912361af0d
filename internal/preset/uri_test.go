package preset_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/rightsize/terraform-provider-rightsize/internal/preset"
)

func TestConnectionURI(t *testing.T) {
	t.Parallel()
	type env = map[string]string
	for name, tc := range map[string]struct {
		preset string
		env    env
		want   string
	}{
		"postgres": {
			"postgres", env{"POSTGRES_PASSWORD": "secret"},
			"postgresql://postgres:secret@127.0.0.1:61000/postgres",
		},
		"postgres with a user": {
			"postgres", env{"POSTGRES_USER": "app", "POSTGRES_PASSWORD": "secret"},
			"postgresql://app:secret@127.0.0.1:61000/app",
		},
		"postgres with everything": {
			"postgres", env{"POSTGRES_USER": "app", "POSTGRES_PASSWORD": "secret", "POSTGRES_DB": "orders"},
			"postgresql://app:secret@127.0.0.1:61000/orders",
		},
		"postgres that trusts": {
			"postgres", env{"POSTGRES_HOST_AUTH_METHOD": "trust"},
			"postgresql://postgres@127.0.0.1:61000/postgres",
		},
		"postgres with its password in a file": {
			"postgres", env{"POSTGRES_PASSWORD_FILE": "/run/password"},
			"postgresql://postgres@127.0.0.1:61000/postgres",
		},
		"postgres with its user in a file": {
			"postgres", env{"POSTGRES_USER_FILE": "/run/user", "POSTGRES_PASSWORD": "secret"},
			"postgresql://127.0.0.1:61000",
		},
		"postgres with its database in a file": {
			"postgres", env{"POSTGRES_DB_FILE": "/run/db", "POSTGRES_PASSWORD": "secret"},
			"postgresql://postgres:secret@127.0.0.1:61000",
		},
		"mysql": {
			"mysql", env{"MYSQL_ROOT_PASSWORD": "secret"},
			"mysql://root:secret@127.0.0.1:61000",
		},
		"mysql without a password": {
			"mysql", env{"MYSQL_ALLOW_EMPTY_PASSWORD": "yes", "MYSQL_DATABASE": "orders"},
			"mysql://root@127.0.0.1:61000/orders",
		},
		"mysql with a user": {
			"mysql", env{"MYSQL_ROOT_PASSWORD": "root", "MYSQL_USER": "app", "MYSQL_PASSWORD": "secret", "MYSQL_DATABASE": "orders"},
			"mysql://app:secret@127.0.0.1:61000/orders",
		},
		"mysql with a user that is not made": {
			"mysql", env{"MYSQL_ROOT_PASSWORD": "root", "MYSQL_USER": "app"},
			"mysql://root:root@127.0.0.1:61000",
		},
		"mysql with a user whose password is in a file": {
			"mysql", env{"MYSQL_ROOT_PASSWORD": "root", "MYSQL_USER": "app", "MYSQL_PASSWORD_FILE": "/run/password"},
			"mysql://app@127.0.0.1:61000",
		},
		"mariadb": {
			"mariadb", env{"MARIADB_ROOT_PASSWORD": "root", "MARIADB_USER": "app", "MARIADB_PASSWORD": "secret", "MARIADB_DATABASE": "orders"},
			"mysql://app:secret@127.0.0.1:61000/orders",
		},
		"mariadb in the words of mysql": {
			"mariadb", env{"MYSQL_ROOT_PASSWORD": "secret", "MYSQL_DATABASE": "orders"},
			"mysql://root:secret@127.0.0.1:61000/orders",
		},
		"mariadb in both": {
			"mariadb", env{"MARIADB_ROOT_PASSWORD": "secret", "MYSQL_ROOT_PASSWORD": "other"},
			"mysql://root:secret@127.0.0.1:61000",
		},
		"redis":  {"redis", nil, "redis://127.0.0.1:61000"},
		"valkey": {"valkey", nil, "redis://127.0.0.1:61000"},
		"mongodb": {
			"mongodb", nil, "mongodb://127.0.0.1:61000",
		},
		"mongodb with an account": {
			"mongodb", env{"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "secret"},
			"mongodb://root:secret@127.0.0.1:61000/?authSource=admin",
		},
		"mongodb with a database": {
			"mongodb", env{"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "secret", "MONGO_INITDB_DATABASE": "orders"},
			"mongodb://root:secret@127.0.0.1:61000/orders?authSource=admin",
		},
		"rabbitmq": {
			"rabbitmq", nil, "amqp://guest:guest@127.0.0.1:61000",
		},
		"rabbitmq with a user": {
			"rabbitmq", env{"RABBITMQ_DEFAULT_USER": "app", "RABBITMQ_DEFAULT_PASS": "secret", "RABBITMQ_DEFAULT_VHOST": "a/b"},
			"amqp://app:secret@127.0.0.1:61000/a%2Fb",
		},
		"kafka":    {"kafka", env{"KAFKA_NODE_ID": "1"}, "127.0.0.1:61000"},
		"redpanda": {"redpanda", nil, "127.0.0.1:61000"},
		"minio":    {"minio", nil, "http://minioadmin:minioadmin@127.0.0.1:61000"},
		"minio with a user": {
			"minio", env{"MINIO_ROOT_USER": "app", "MINIO_ROOT_PASSWORD": "secret"},
			"http://app:secret@127.0.0.1:61000",
		},
		"elasticsearch": {
			"elasticsearch", env{"ELASTIC_PASSWORD": "secret"},
			"https://elastic:secret@127.0.0.1:61000",
		},
		"elasticsearch that chose a password": {
			"elasticsearch", nil, "https://127.0.0.1:61000",
		},
		"elasticsearch without security": {
			"elasticsearch", env{"xpack.security.enabled": "false"},
			"http://127.0.0.1:61000",
		},
		"elasticsearch without encryption": {
			"elasticsearch", env{"xpack.security.http.ssl.enabled": "false", "ELASTIC_PASSWORD": "secret"},
			"http://elastic:secret@127.0.0.1:61000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ok := preset.ByName(tc.preset)
			if !ok {
				t.Fatal("there is no such preset")
			}
			if got := p.ConnectionURI(tc.env, "127.0.0.1", 61000); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// Whatever is in the parts, a client reads them as they are.
func TestConnectionURIIsEncoded(t *testing.T) {
	t.Parallel()
	const awkward = "it's 50% \"fixture\"+:/?#[]@!$&()*,;=~ é"
	p, _ := preset.ByName("postgres")
	text := p.ConnectionURI(map[string]string{"POSTGRES_USER": awkward, "POSTGRES_PASSWORD": awkward, "POSTGRES_DB": awkward}, "::1", 61000)
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := parsed.User.Password()
	for part, got := range map[string]string{"user": parsed.User.Username(), "password": password, "database": parsed.Path[1:]} {
		if got != awkward {
			t.Errorf("the %s is read as %q", part, got)
		}
	}
	if parsed.Host != "[::1]:61000" || parsed.Hostname() != "::1" {
		t.Errorf("the host is read as %q", parsed.Host)
	}
	if strings.ContainsAny(text, "+ $'") {
		t.Errorf("clients disagree about some of %s", text)
	}
}
