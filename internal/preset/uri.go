package preset

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// URI is how a connection URI is made from a container's environment.
type URI struct {
	// Scheme is the URI's; empty if clients take host and port alone.
	Scheme string
	// PlainIf are settings each of which turns encryption off if it is "false":
	// the scheme is "http" then.
	PlainIf []string
	// Accounts are those that the image may set up, the one to connect as first.
	Accounts []Account
	// Database is the path; empty if a client names none.
	Database Value
	// OfUser says that the default database has the user's name.
	OfUser bool
	// AccountQuery is the query that goes with an account.
	AccountQuery string
}

// Account is an account that an image sets up for its clients.
type Account struct {
	User, Password Value
	// Passwordless says that the account may be there without a password.
	Passwordless bool
}

// Value is something that is given to a container by a variable.
type Value struct {
	// Env are the names of the variables, the one that wins first.
	Env []string
	// Default is the value if none of them is given.
	Default string
}

// fileSuffix is what the official images add to the name of a variable for one
// that names a file with the value. The file is the container's: its content is
// not known here.
const fileSuffix = "_FILE"

// in returns the value in an environment. known is false if it is in a file.
func (v Value) in(env map[string]string) (value string, known bool) {
	for _, name := range v.Env {
		if env[name] != "" {
			return env[name], true
		}
		if env[name+fileSuffix] != "" {
			return "", false
		}
	}
	return v.Default, true
}

// account returns the user and the password to connect with. What is not known
// is left out.
func (u URI) account(env map[string]string) (user, password string) {
	for _, account := range u.Accounts {
		user, userKnown := account.User.in(env)
		password, passwordKnown := account.Password.in(env)
		if user == "" && userKnown || password == "" && passwordKnown && !account.Passwordless {
			continue // The image does not set it up.
		}
		return user, password
	}
	return "", ""
}

// database returns the database to connect to, if there is one.
func (u URI) database(env map[string]string, user string) string {
	database, known := u.Database.in(env)
	if database == "" && known && u.OfUser {
		return user
	}
	return database
}

// ConnectionURI returns how a client connects to the server that is reached at
// host and port and was given this environment. It holds the password.
func (p Preset) ConnectionURI(env map[string]string, host string, port uint16) string {
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	u := p.URI
	if u.Scheme == "" {
		return address
	}
	scheme := u.Scheme
	if slices.ContainsFunc(u.PlainIf, func(setting string) bool { return env[setting] == "false" }) {
		scheme = "http"
	}
	user, password := u.account(env)
	database := u.database(env, user)

	var text strings.Builder
	text.WriteString(scheme + "://")
	if user != "" {
		text.WriteString(escape(user))
		if password != "" {
			text.WriteString(":" + escape(password))
		}
		text.WriteString("@")
	}
	text.WriteString(address)
	query := u.AccountQuery
	if user == "" {
		query = ""
	}
	if database != "" || query != "" {
		text.WriteString("/" + escape(database))
	}
	if query != "" {
		text.WriteString("?" + query)
	}
	return text.String()
}

// escape encodes all but the characters that RFC 3986 calls unreserved, so that
// clients agree about the rest: of those that the RFC allows in a user's name or
// a path, some clients take a + for a space and others stumble over a $.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
