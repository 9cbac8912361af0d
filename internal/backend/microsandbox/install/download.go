package install

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// The archives have some 25 MB; a server that sends without end is stopped.
	maxArchive   = 256 << 20
	maxChecksums = 1 << 20

	// connectTimeout bounds what a host without a way to the server waits
	// before it goes on with Docker.
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
)

// errStalled is a server that stopped sending.
var errStalled = errors.New("the server stopped sending")

// fetcher gets files of a release over HTTP.
type fetcher struct {
	client *http.Client
	// stall is how long a server may send nothing.
	stall time.Duration
}

func newFetcher(stall time.Duration) fetcher {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	transport.TLSHandshakeTimeout = connectTimeout
	transport.ResponseHeaderTimeout = answerTimeout
	// A compressed transfer would have no length to compare with.
	transport.DisableCompression = true
	return fetcher{stall: stall, client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if authentic(via[len(via)-1].URL) && !authentic(req.URL) {
		return fmt.Errorf("refused a redirect from %s to plain http", via[len(via)-1].URL.Host)
	}
	return nil
}

// archive writes the archive into a new file and returns its SHA-256.
func (f fetcher) archive(ctx context.Context, from *url.URL, to string) (digest string, err error) {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	err = f.get(ctx, from, maxArchive, func(body io.Reader) error {
		_, err := io.Copy(io.MultiWriter(file, hash), body)
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), file.Close()
}

// checksum returns what a file of checksums, as sha256sum writes it, says of the
// file called name.
func (f fetcher) checksum(ctx context.Context, from *url.URL, name string) (digest string, err error) {
	err = f.get(ctx, from, maxChecksums, func(body io.Reader) error {
		for lines := bufio.NewScanner(body); ; {
			if !lines.Scan() {
				return lines.Err()
			}
			fields := strings.Fields(lines.Text())
			if len(fields) != 2 || strings.TrimPrefix(fields[1], "*") != name {
				continue
			}
			if err := CheckDigest(fields[0]); err != nil {
				return err
			}
			if digest != "" && !strings.EqualFold(digest, fields[0]) {
				return fmt.Errorf("it lists %s twice", name)
			}
			digest = strings.ToLower(fields[0])
		}
	})
	if err == nil && digest == "" {
		err = fmt.Errorf("%s does not list %s", from.Redacted(), name)
	}
	return digest, err
}

// CheckDigest fails if s is not a SHA-256 in hexadecimal.
func CheckDigest(s string) error {
	if raw, err := hex.DecodeString(s); err != nil || len(raw) != sha256.Size {
		return fmt.Errorf("%q is not a SHA-256 of %d hexadecimal digits", s, 2*sha256.Size)
	}
	return nil
}

// get hands the body of a file to read. Its errors name the URL that was asked
// for, without credentials, and not the ones it redirected to: those carry
// signatures.
func (f fetcher) get(ctx context.Context, from *url.URL, limit int64, read func(io.Reader) error) error {
	failed := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return fmt.Errorf("get %s: %w", from.Redacted(), err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return failed(err)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return failed(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return failed(&statusError{code: resp.StatusCode})
	}
	if resp.ContentLength > limit {
		return failed(fmt.Errorf("it has %d bytes, more than the %d that are expected at most", resp.ContentLength, limit))
	}
	body := &bounded{from: resp.Body, left: limit, stall: f.stall}
	body.timer = time.AfterFunc(f.stall, func() { cancel(errStalled) })
	defer body.timer.Stop()
	if err := read(body); err != nil {
		return failed(err)
	}
	return nil
}

// statusError is an answer other than the file.
type statusError struct{ code int }

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.code, http.StatusText(e.code))
}

// bounded is a body that may neither be too long nor pause too long.
type bounded struct {
	from  io.Reader
	left  int64
	stall time.Duration
	timer *time.Timer
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.timer.Reset(b.stall)
	if b.left -= int64(n); b.left < 0 {
		return n, errors.New("it is longer than expected")
	}
	return n, err
}
