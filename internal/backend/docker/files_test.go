package docker

import (
	"archive/tar"
	"bytes"
	"testing"
)

func TestOnlyFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header tar.Header
		want   string
		fails  bool
	}{
		"file":      {header: tar.Header{Typeflag: tar.TypeReg, Name: "passwd", Size: 4}, want: "text"},
		"directory": {header: tar.Header{Typeflag: tar.TypeDir, Name: "passwd/"}, fails: true},
		"link":      {header: tar.Header{Typeflag: tar.TypeLink, Name: "passwd", Linkname: "../shadow"}, fails: true},
		"too large": {header: tar.Header{Typeflag: tar.TypeReg, Name: "passwd", Size: maxAccountsSize + 1}, fails: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var archive bytes.Buffer
			w := tar.NewWriter(&archive)
			if err := w.WriteHeader(&tt.header); err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				if _, err := w.Write([]byte(tt.want)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := onlyFile(&archive)
			if (err != nil) != tt.fails || string(got) != tt.want {
				t.Errorf("%q, %v, want %q (fails: %t)", got, err, tt.want, tt.fails)
			}
		})
	}
}
