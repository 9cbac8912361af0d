//go:build !unix

package microsandbox

import "io/fs"

func allocated(info fs.FileInfo) int64 { return info.Size() }
