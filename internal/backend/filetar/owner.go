package filetar

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

const (
	passwdFile = "/etc/passwd"
	groupFile  = "/etc/group"
)

// owner is who owns a file.
type owner struct{ uid, gid int }

// accounts resolves the names of a container's users and groups. Its files are
// read when the first name asks for it.
type accounts struct {
	read          func(name string) ([]byte, error)
	passwd, group [][]string
}

// resolve understands what chown does: "user" leaves the group alone, which is
// root's for a new file, and "user:" means the user's login group.
func (a *accounts) resolve(s string) (owner, error) {
	user, group, withGroup := strings.Cut(s, ":")
	var o owner
	var err error
	if user != "" {
		if o.uid, err = a.user(user); err != nil {
			return owner{}, err
		}
	}
	switch {
	case group != "":
		o.gid, err = a.groupID(group)
	case withGroup && user != "":
		o.gid, err = a.loginGroup(user)
	}
	if err != nil {
		return owner{}, err
	}
	return o, nil
}

func (a *accounts) user(name string) (int, error) {
	if id, err := parseID(name); err == nil {
		return id, nil
	}
	return a.look(&a.passwd, passwdFile, "user", 0, name, 2)
}

func (a *accounts) groupID(name string) (int, error) {
	if id, err := parseID(name); err == nil {
		return id, nil
	}
	return a.look(&a.group, groupFile, "group", 0, name, 2)
}

func (a *accounts) loginGroup(user string) (int, error) {
	key := 0
	if _, err := parseID(user); err == nil {
		key = 2
	}
	return a.look(&a.passwd, passwdFile, "user", key, user, 3)
}

// look returns the id in column value of the line of file that has name in
// column key.
func (a *accounts) look(lines *[][]string, file, kind string, key int, name string, value int) (int, error) {
	if *lines == nil {
		content, err := a.read(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		*lines = parseAccounts(content)
	}
	for _, fields := range *lines {
		if len(fields) > max(key, value) && fields[key] == name {
			id, err := parseID(fields[value])
			if err != nil {
				return 0, fmt.Errorf("%s of the container gives %s %q the id %q, which is not a number", file, kind, name, fields[value])
			}
			return id, nil
		}
	}
	return 0, fmt.Errorf("%s of the container has no %s %q: use one that it has, or a numeric id", file, kind, name)
}

func parseAccounts(content []byte) [][]string {
	lines := make([][]string, 0)
	for line := range strings.Lines(string(content)) {
		lines = append(lines, strings.Split(strings.TrimSpace(line), ":"))
	}
	return lines
}

func parseID(s string) (int, error) {
	id, err := strconv.ParseUint(s, 10, 31)
	return int(id), err
}
