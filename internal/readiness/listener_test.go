package readiness_test

import (
	"net"
	"sync/atomic"
	"testing"
)

// listen serves each connection with serve, on a port of its own, until the
// test has ended.
func listen(t *testing.T, serve func(n int, conn net.Conn)) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for n := 1; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serve(n, conn)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// refused is an address that nobody listens on. A port that was free a moment
// ago would not do: a test that runs beside could be given it.
const refused = "127.0.0.1:1"

// The behaviours of what is behind a published port.

// silent waits for the peer to speak or leave, as most services do.
func silent(_ int, conn net.Conn) { _, _ = conn.Read(make([]byte, 1)) }

// talking greets first, as an SMTP or MySQL server does.
func talking(_ int, conn net.Conn) { _, _ = conn.Write([]byte("220 hello\r\n")) }

// absent is docker-proxy while nothing listens in the container.
func absent(int, net.Conn) {}

// resetting is a proxy that ends the connection the hard way.
func resetting(_ int, conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }

// absentUntil is docker-proxy whose container begins to listen at last.
func absentUntil(first int, count *atomic.Int64) func(int, net.Conn) {
	return func(n int, conn net.Conn) {
		count.Store(int64(n))
		if n >= first {
			silent(n, conn)
		}
	}
}
