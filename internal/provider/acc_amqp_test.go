package provider_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// The methods of a connection in AMQP 0-9-1 that a client needs to get in.
const (
	amqpStart   = 10
	amqpStartOK = 11
	amqpTune    = 30
	amqpTuneOK  = 31
	amqpOpen    = 40
	amqpOpenOK  = 41
)

// openAMQP opens a connection to the virtual host of a URI with its account, and
// fails if the server does not let it.
func openAMQP(t *testing.T, uri string) error {
	t.Helper()
	server := parseURI(t, uri)
	conn := dial(t, server.Host)
	defer conn.Close()
	if _, err := io.WriteString(conn, "AMQP\x00\x00\x09\x01"); err != nil {
		return err
	}
	if _, err := readAMQP(conn, amqpStart); err != nil {
		return err
	}
	password, _ := server.User.Password()
	var startOK bytes.Buffer
	startOK.Write(longText("")) // no properties of the client: an empty table
	startOK.Write(shortText("PLAIN"))
	startOK.Write(longText("\x00" + server.User.Username() + "\x00" + password))
	startOK.Write(shortText("en_US"))
	if err := writeAMQP(conn, amqpStartOK, startOK.Bytes()); err != nil {
		return err
	}
	limits, err := readAMQP(conn, amqpTune)
	if err != nil {
		return fmt.Errorf("the account is refused: %w", err)
	}
	if err := writeAMQP(conn, amqpTuneOK, limits); err != nil {
		return err
	}
	host := strings.TrimPrefix(server.Path, "/")
	if host == "" {
		host = "/"
	}
	if err := writeAMQP(conn, amqpOpen, append(shortText(host), 0, 0)); err != nil {
		return err
	}
	if _, err := readAMQP(conn, amqpOpenOK); err != nil {
		return fmt.Errorf("the virtual host is refused: %w", err)
	}
	return nil
}

func shortText(text string) []byte { return append([]byte{byte(len(text))}, text...) }

func longText(text string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// writeAMQP sends a method of class 10, connection, on channel 0.
func writeAMQP(conn net.Conn, method uint16, arguments []byte) error {
	frame := []byte{1, 0, 0}
	frame = binary.BigEndian.AppendUint32(frame, uint32(4+len(arguments)))
	frame = binary.BigEndian.AppendUint16(frame, 10)
	frame = binary.BigEndian.AppendUint16(frame, method)
	frame = append(append(frame, arguments...), 0xCE)
	_, err := conn.Write(frame)
	return err
}

// readAMQP returns the arguments of the next method, which must be this one.
func readAMQP(conn net.Conn, method uint16) ([]byte, error) {
	var header [7]byte
	if _, err := io.ReadFull(conn, header[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(header[3:])+1)
	if _, err := io.ReadFull(conn, frame); err != nil {
		return nil, err
	}
	if got := binary.BigEndian.Uint16(frame[2:]); got != method {
		return nil, fmt.Errorf("the server answers with method %d, want %d: %q", got, method, frame)
	}
	return frame[4 : len(frame)-1], nil
}
