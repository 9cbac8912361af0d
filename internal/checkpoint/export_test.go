package checkpoint

// DefaultCacheDir lets a test ask for the default of another platform.
var DefaultCacheDir = defaultCacheDir
