// Package filetar makes the archive by which files go into a container: with
// their owners looked up in the container, and with the directories that it
// lacks but not those that it has, whose mode and owner must stay.
package filetar
