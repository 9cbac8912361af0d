package preset

// table has one row for each preset. A row says what an image does by default;
// the comment says where that is written down.
var table = []Preset{
	{
		// Docker Hub "postgres": POSTGRES_USER is "postgres" by default, and
		// POSTGRES_DB the user's name. docker-library/postgres, docker-entrypoint.sh:
		// a data directory that is empty is initialised on a server of its own,
		// which listens on no TCP port and logs the same line; for one that is not
		// empty it says "Skipping initialization" instead, so that it is two
		// lines from an image either way. PostgreSQL, postmaster.c: "database system
		// is ready to accept connections", untranslated if lc_messages is English.
		Name:   "postgres",
		Images: []string{"postgres"},
		Port:   5432,
		Ready: Ready{
			Line: `database system is ready to accept connections`,
			Boot: Boot{Times: 2, Line: `database system is ready to accept connections|Skipping initialization`},
		},
		URI: URI{
			Scheme: "postgresql",
			Accounts: []Account{{
				User:         Value{Env: []string{"POSTGRES_USER"}, Default: "postgres"},
				Password:     Value{Env: []string{"POSTGRES_PASSWORD"}},
				Passwordless: true, // POSTGRES_HOST_AUTH_METHOD=trust
			}},
			Database: Value{Env: []string{"POSTGRES_DB"}},
			OfUser:   true,
		},
	},
	{
		// Docker Hub "mysql": MYSQL_USER is made if it has a password; root's may
		// be empty (MYSQL_ALLOW_EMPTY_PASSWORD) or random. MySQL, mysqld.cc: "ready
		// for connections" with version, socket and port, on one line since 8.0
		// and on two before. The server that initialises logs it with port 0, and
		// the X plugin a line of its own without a version.
		Name:   "mysql",
		Images: []string{"mysql"},
		Port:   3306,
		Ready:  Ready{Line: mysqlLine},
		URI: URI{
			Scheme: "mysql",
			Accounts: []Account{
				{User: Value{Env: []string{"MYSQL_USER"}}, Password: Value{Env: []string{"MYSQL_PASSWORD"}}},
				{User: Value{Default: "root"}, Password: Value{Env: []string{"MYSQL_ROOT_PASSWORD"}}, Passwordless: true},
			},
			Database: Value{Env: []string{"MYSQL_DATABASE"}},
		},
	},
	{
		// Docker Hub "mariadb": as mysql, each variable as MARIADB_… or, if that is
		// not given, as MYSQL_…. MariaDB, mysqld.cc: the version, socket and port
		// are on the line after "ready for connections".
		Name:   "mariadb",
		Images: []string{"mariadb"},
		Port:   3306,
		Ready:  Ready{Line: mysqlLine},
		URI: URI{
			// Drivers of either server take this scheme, and few take mariadb.
			Scheme: "mysql",
			Accounts: []Account{
				{
					User:     Value{Env: []string{"MARIADB_USER", "MYSQL_USER"}},
					Password: Value{Env: []string{"MARIADB_PASSWORD", "MYSQL_PASSWORD"}},
				},
				{
					User:         Value{Default: "root"},
					Password:     Value{Env: []string{"MARIADB_ROOT_PASSWORD", "MYSQL_ROOT_PASSWORD"}},
					Passwordless: true,
				},
			},
			Database: Value{Env: []string{"MARIADB_DATABASE", "MYSQL_DATABASE"}},
		},
	},
	{
		// Docker Hub "redis": no variable sets a password. Redis, server.c: "Ready
		// to accept connections", once the data is loaded; since 7.0 with the kind of
		// connection.
		Name:   "redis",
		Images: []string{"redis"},
		Port:   6379,
		Ready:  Ready{Line: redisLine},
		URI:    URI{Scheme: "redis"},
	},
	{
		// Docker Hub "valkey/valkey": as redis, of which it is a fork. Its clients
		// take the scheme of redis, those of redis no other.
		Name:   "valkey",
		Images: []string{"valkey/valkey"},
		Port:   6379,
		Ready:  Ready{Line: redisLine},
		URI:    URI{Scheme: "redis"},
	},
	{
		// Docker Hub "mongo": with both variables the image makes a root user in
		// the database admin, on a server of its own that listens on its loopback
		// and logs the same line. MONGO_INITDB_DATABASE is where its scripts run.
		// MongoDB manual, "Install": "Waiting for connections" (before 4.4 in lower
		// case).
		Name:   "mongodb",
		Images: []string{"mongo"},
		Port:   27017,
		Ready: Ready{
			Line: `(?i)waiting for connections`,
			Boot: Boot{Times: 2, If: []string{"MONGO_INITDB_ROOT_USERNAME", "MONGO_INITDB_ROOT_PASSWORD"}},
		},
		URI: URI{
			Scheme: "mongodb",
			Accounts: []Account{{
				User:     Value{Env: []string{"MONGO_INITDB_ROOT_USERNAME"}},
				Password: Value{Env: []string{"MONGO_INITDB_ROOT_PASSWORD"}},
			}},
			Database: Value{Env: []string{"MONGO_INITDB_DATABASE"}},
			// Where the account is, whatever the database.
			AccountQuery: "authSource=admin",
		},
	},
	{
		// Docker Hub "rabbitmq": guest may connect from anywhere there, which it may
		// not by RabbitMQ's own default; the log goes to the console. RabbitMQ,
		// rabbit.erl: "Server startup complete", with the number of plugins. The AMQP
		// URI specification: without a path the virtual host is /.
		Name:   "rabbitmq",
		Images: []string{"rabbitmq"},
		Port:   5672,
		Ready:  Ready{Line: `Server startup complete`},
		URI: URI{
			Scheme: "amqp",
			Accounts: []Account{{
				User:     Value{Env: []string{"RABBITMQ_DEFAULT_USER"}, Default: "guest"},
				Password: Value{Env: []string{"RABBITMQ_DEFAULT_PASS"}, Default: "guest"},
			}},
			Database: Value{Env: []string{"RABBITMQ_DEFAULT_VHOST"}},
		},
	},
	{
		// Docker Hub "apache/kafka" and "confluentinc/cp-kafka". Kafka,
		// KafkaBroker.scala: "Kafka Server started", by which its own system tests
		// wait; with ZooKeeper, KafkaServer.scala has "[KafkaServer id=1] started".
		// Clients take bootstrap servers, and go on to the listeners that the broker
		// advertises.
		Name:   "kafka",
		Images: []string{"apache/kafka", "confluentinc/cp-kafka"},
		Port:   9092,
		Ready:  Ready{Line: `Kafka Server started|\[KafkaServer id=\d+\] started`},
	},
	{
		// Docker Hub "redpandadata/redpanda". Redpanda, application.cc: "Successfully
		// started Redpanda!", when all of its listeners answer.
		Name:   "redpanda",
		Images: []string{"redpandadata/redpanda"},
		Port:   9092,
		Ready:  Ready{Line: `Successfully started Redpanda!`},
	},
	{
		// Docker Hub "minio/minio". MinIO, "Healthcheck Probe": 200 from here means
		// that writes are accepted, where /minio/health/live answers as soon as it
		// listens. MINIO_ROOT_USER and _PASSWORD are both minioadmin by default. The
		// form of the URI is that of MC_HOST_<alias>, which its client reads.
		Name:   "minio",
		Images: []string{"minio/minio"},
		Port:   9000,
		Ready:  Ready{Path: "/minio/health/cluster"},
		URI: URI{
			Scheme: "http",
			Accounts: []Account{{
				User:     Value{Env: []string{"MINIO_ROOT_USER"}, Default: "minioadmin"},
				Password: Value{Env: []string{"MINIO_ROOT_PASSWORD"}, Default: "minioadmin"},
			}},
		},
	},
	{
		// docker.elastic.co/elasticsearch/elasticsearch, "Install with Docker":
		// ELASTIC_PASSWORD is that of elastic; from 8.0 on HTTPS and authentication
		// are on unless settings turn them off, so that its health endpoint tells
		// nothing to whoever has neither certificate nor password. Elasticsearch,
		// Node.java: "started", logged when HTTP is bound; as JSON since 7.0, in
		// 8.x with the node after it.
		Name:   "elasticsearch",
		Images: []string{"docker.elastic.co/elasticsearch/elasticsearch"},
		Port:   9200,
		Ready:  Ready{Line: `"message": ?"started[" ]|\] started$`},
		URI: URI{
			Scheme:  "https",
			PlainIf: []string{"xpack.security.enabled", "xpack.security.http.ssl.enabled"},
			Accounts: []Account{{
				User:     Value{Default: "elastic"},
				Password: Value{Env: []string{"ELASTIC_PASSWORD"}},
			}},
		},
	},
}

const (
	mysqlLine = `Version: '[^']*'.* port: [1-9]`
	redisLine = `Ready to accept connections`
)
