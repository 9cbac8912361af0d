package readiness

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// bodyLimit bounds how much of a response is searched.
const bodyLimit = 1 << 20

// HTTP waits until a GET request is answered as expected. Redirects are not
// followed: they are answers.
type HTTP struct {
	// Port is the port inside the container, as in "8080".
	Port string
	// Path begins with a slash and may have a query.
	Path string
	// Status is the expected status code; zero means 200.
	Status int
	// Body, if set, has to match in the first MiB of the response's body.
	Body *regexp.Regexp
}

func (h HTTP) String() string {
	// A query may hold a token.
	path, _, _ := strings.Cut(h.Path, "?")
	return fmt.Sprintf("HTTP status %d from port %s at %s", h.status(), h.Port, path)
}

// Validate implements [Validator].
func (h HTTP) Validate() error {
	if _, err := tcpPort(h.Port); err != nil {
		return err
	}
	if !strings.HasPrefix(h.Path, "/") {
		return fmt.Errorf("the path must begin with a slash, as in %q", "/"+h.Path)
	}
	if _, err := url.ParseRequestURI(h.Path); err != nil {
		return fmt.Errorf("the path is not valid in a URL: %s", networkReason(err))
	}
	// A status below 200 announces another one and is never the answer.
	if status := h.status(); status < 200 || status > 599 {
		return fmt.Errorf("the status must be from 200 to 599, and is %d", status)
	}
	return nil
}

// Wait implements [Strategy].
func (h HTTP) Wait(ctx context.Context, target Target) error {
	addr, err := address(target, h.Port)
	if err != nil {
		return err
	}
	client := &http.Client{
		// A transport of its own has no proxy, and no connection that was made
		// to an earlier container on the same host port.
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{}).DialContext,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return poll(ctx, networkPace, func(ctx context.Context) error {
		return h.probe(ctx, client, "http://"+addr+h.Path)
	})
}

func (h HTTP) probe(ctx context.Context, client *http.Client, location string) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, location, http.NoBody)
	if err != nil {
		return fmt.Errorf("make a request for %s: %s", h, networkReason(err))
	}
	resp, err := client.Do(req)
	if err != nil {
		return unmetf("%s", networkReason(err))
	}
	// The answer has been seen by then: closing it can change nothing.
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != h.status() {
		return unmetf("status %d", resp.StatusCode)
	}
	if h.Body == nil {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyLimit))
	switch {
	case h.Body.Match(body):
		return nil
	case err != nil:
		return unmetf("status %d, then %s", resp.StatusCode, networkReason(err))
	}
	return unmetf("status %d with a body that does not match %q", resp.StatusCode, h.Body)
}

func (h HTTP) status() int {
	if h.Status == 0 {
		return http.StatusOK
	}
	return h.Status
}
