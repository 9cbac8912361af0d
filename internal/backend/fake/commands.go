package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/rightsize/terraform-provider-rightsize/internal/backend"
)

// builtinCommands are the commands of every container. There is no shell.
func builtinCommands() map[string]Program {
	return map[string]Program{
		"true":  Job(backend.Exit{}),
		"false": Job(backend.Exit{Code: 1}),
		"serve": Serve,
		"idle":  Idle,
		"echo":  echo,
		"exit":  exit,
		"sleep": sleep,
		"cat":   cat,
		"write": write,
	}
}

// echo WORD... prints its arguments.
func echo(_ context.Context, p *Process) backend.Exit {
	fmt.Fprintln(p.Stdout, strings.Join(p.Args[1:], " "))
	return backend.Exit{}
}

// exit CODE ends with a code.
func exit(_ context.Context, p *Process) backend.Exit {
	if len(p.Args) != 2 {
		return usage(p, "exit CODE")
	}
	code, err := strconv.Atoi(p.Args[1])
	if err != nil {
		return usage(p, "exit CODE")
	}
	return backend.Exit{Code: code}
}

// sleep SECONDS does nothing for a time.
func sleep(ctx context.Context, p *Process) backend.Exit {
	if len(p.Args) != 2 {
		return usage(p, "sleep SECONDS")
	}
	seconds, err := strconv.ParseFloat(p.Args[1], 64)
	if err != nil {
		return usage(p, "sleep SECONDS")
	}
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
	case <-ctx.Done():
	}
	return backend.Exit{}
}

// cat [PATH]... prints files, or its standard input.
func cat(_ context.Context, p *Process) backend.Exit {
	if len(p.Args) == 1 {
		if _, err := io.Copy(p.Stdout, p.Stdin); err != nil {
			return failed(p, err)
		}
	}
	for _, name := range p.Args[1:] {
		content, err := p.Files.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: No such file or directory", name)
		}
		if err != nil {
			return failed(p, err)
		}
		if _, err := p.Stdout.Write(content); err != nil {
			return failed(p, err)
		}
	}
	return backend.Exit{}
}

// write PATH TEXT replaces a file's content.
func write(_ context.Context, p *Process) backend.Exit {
	if len(p.Args) != 3 {
		return usage(p, "write PATH TEXT")
	}
	if err := p.Files.WriteFile(p.Args[1], []byte(p.Args[2])); err != nil {
		return failed(p, err)
	}
	return backend.Exit{}
}

func usage(p *Process, text string) backend.Exit {
	fmt.Fprintln(p.Stderr, "usage:", text)
	return backend.Exit{Code: 2}
}

func failed(p *Process, err error) backend.Exit {
	fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
	return backend.Exit{Code: 1}
}
