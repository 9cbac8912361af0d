package install

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rightsize/terraform-provider-rightsize/internal/filelock"
)

// staging begins the names of what an installation is made in. One that was
// killed leaves its behind, for the next to remove.
const staging = ".incoming-"

// provisioner installs one release below the cache directory.
type provisioner struct {
	release release
	// dir is where the release goes: bin/msb and lib/libkrunfw.*, because msb
	// looks for its libraries in ../lib.
	dir      string
	lockFile string
	// sha256 is what the user says of the archive; empty if nothing.
	sha256 string
	fetch  fetcher
}

func (p provisioner) binary() string { return filepath.Join(p.dir, "bin", binaryName) }

func (p provisioner) libraries() string { return filepath.Join(p.dir, "lib") }

// installed says whether the release is there. The binary comes last, so one
// that is there has all that it needs.
func (p provisioner) installed() bool {
	info, err := os.Lstat(p.binary())
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	files, err := os.ReadDir(p.libraries())
	if err != nil {
		return false
	}
	for _, file := range files {
		if file.Type().IsRegular() && libraryPattern.MatchString(file.Name()) {
			return true
		}
	}
	return false
}

// install downloads the release unless it is there by the time that nobody else
// installs it.
func (p provisioner) install(ctx context.Context) error {
	unlock, err := filelock.Lock(ctx, p.lockFile)
	if err != nil {
		return err
	}
	defer unlock()
	if p.installed() {
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	if err := p.removeLeftovers(); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(p.dir, staging)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)

	archive := filepath.Join(stage, "archive")
	if err := p.download(ctx, archive); err != nil {
		return err
	}
	unpacked := filepath.Join(stage, "unpacked")
	if err := os.Mkdir(unpacked, 0o700); err != nil {
		return err
	}
	libraries, err := unpack(archive, unpacked)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", p.release.archiveURL().Redacted(), err)
	}
	return p.publish(unpacked, libraries)
}

func (p provisioner) removeLeftovers() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), staging) {
			if err := os.RemoveAll(filepath.Join(p.dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// download fetches the archive and compares it with the digest that it must
// have. That is decided before, so that a mirror without one costs no download.
func (p provisioner) download(ctx context.Context, to string) error {
	want, source, err := p.digest(ctx)
	if err != nil {
		return err
	}
	got, err := p.fetch.archive(ctx, p.release.archiveURL(), to)
	if err != nil {
		return err
	}
	if !strings.EqualFold(got, want) {
		return &checksumError{url: p.release.archiveURL(), got: got, want: want, source: source}
	}
	return nil
}

// digest returns the SHA-256 that the archive must have, and who says so.
func (p provisioner) digest(ctx context.Context) (sha256, source string, err error) {
	if p.sha256 != "" {
		return p.sha256, "microsandbox.download.sha256", nil
	}
	if pin, known := p.release.pin(); known {
		return pin, "the provider, which knows the vendor's archive", nil
	}
	from := p.release.checksumsURL()
	if !authentic(from) {
		return "", "", fmt.Errorf("nothing vouches for %s: the provider knows no checksum of msb %s, and one that comes over plain http proves nothing; "+
			"use https, or set microsandbox.download.sha256", p.release.archiveURL().Redacted(), p.release.version)
	}
	sha256, err = p.fetch.checksum(ctx, from, p.release.archive())
	return sha256, from.Redacted(), err
}

// checksumError is an archive that is not the one it should be.
type checksumError struct {
	url               *url.URL
	got, want, source string
}

func (e *checksumError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %s, and it must be %s according to %s; nothing was unpacked", e.url.Redacted(), e.got, e.want, e.source)
}

// publish moves the files to where they are used, the binary last.
func (p provisioner) publish(unpacked string, libraries []string) error {
	for _, name := range libraries {
		if err := place(filepath.Join(unpacked, name), p.libraries(), 0o644); err != nil {
			return err
		}
	}
	return place(filepath.Join(unpacked, binaryName), filepath.Dir(p.binary()), 0o755)
}

// place moves a file into a directory, so that the move survives a crash of the
// machine before anything that follows it.
func place(file, dir string, mode os.FileMode) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(file, mode); err != nil {
		return err
	}
	if err := os.Rename(file, filepath.Join(dir, filepath.Base(file))); err != nil {
		return err
	}
	directory, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
