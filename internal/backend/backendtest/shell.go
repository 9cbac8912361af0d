package backendtest

import "strconv"

// Shell are the [Commands] of an image with a POSIX shell and the usual
// tools.
type Shell struct{}

// The pipe is opened for writing as well, so that opening it does not block and
// reading it does not end.
const relayScript = `trap 'exit 0' TERM
mkfifo /relay 2>/dev/null
exec 3<>/relay
echo ready
while read -r line <&3; do
	case $line in
	"quit "*) exit "${line#quit }" ;;
	*) echo "$line" ;;
	esac
done`

// A busybox that is linked statically, as Debian's is, crashes in the name lookup
// of its wget, and not in that of its nc.
const fetchScript = `answer=$(printf 'GET %s HTTP/1.0\r\n\r\n' "$3" | nc -w 10 "$1" "$2"; echo end)
case $answer in
*" 200 OK"*) printf %s "${answer%end}" | sed '1,/^.$/d' ;;
*) exit 1 ;;
esac`

func shell(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh"}, args...)
}

// Relay is as in [Commands].
func (Shell) Relay() []string { return shell(relayScript) }

// Counter is as in [Harness].
func (Shell) Counter(file string) []string {
	return shell(`i=0; while [ ! -e "$1.quit" ]; do i=$((i+1)); echo "$i" >"$1.new"; mv "$1.new" "$1"; sleep 0.1; done; exit 5`, file)
}

// Say is as in [Commands].
func (Shell) Say(text string) []string { return shell(`echo "$1" >/relay`, text) }

// Quit is as in [Commands].
func (c Shell) Quit(code int) []string { return c.Say("quit " + strconv.Itoa(code)) }

// Stubborn is as in [Commands].
func (Shell) Stubborn() []string { return shell(`trap "" TERM; while :; do sleep 3600; done`) }

// EchoError is as in [Commands].
func (Shell) EchoError(t string) []string { return shell(`echo "$1" >&2`, t) }

// Exit is as in [Commands].
func (Shell) Exit(code int) []string { return shell(`exit "$1"`, strconv.Itoa(code)) }

// Cat is as in [Commands].
func (Shell) Cat() []string { return []string{"cat"} }

// ReadFile is as in [Commands].
func (Shell) ReadFile(path string) []string { return []string{"cat", path} }

// PrintEnv is as in [Commands].
func (Shell) PrintEnv(name string) []string {
	return shell(`eval "printf '%s\n' \"\${$1}\""`, name)
}

// PrintWorkingDir is as in [Commands].
func (Shell) PrintWorkingDir() []string { return []string{"pwd"} }

// PrintUserID is as in [Commands].
func (Shell) PrintUserID() []string { return []string{"id", "-u"} }

// Missing is as in [Commands].
func (Shell) Missing() []string { return []string{"/no/such/command"} }

// Serve is as in [Commands].
func (Shell) Serve(port uint16, root string) []string {
	return []string{"httpd", "-f", "-p", strconv.Itoa(int(port)), "-h", root}
}

// Fetch is as in [Commands].
func (Shell) Fetch(host string, port uint16, file string) []string {
	return shell(fetchScript, host, strconv.Itoa(int(port)), file)
}

// Echo is as in [Commands].
func (Shell) Echo(words ...string) []string {
	return append([]string{"echo"}, words...)
}

// WriteFile is as in [Commands].
func (Shell) WriteFile(path, text string) []string {
	return shell(`printf %s "$2" >"$1"`, path, text)
}

// Stat is as in [Commands].
func (Shell) Stat(path string) []string {
	return []string{"stat", "-c", "%a %u %g", path}
}
