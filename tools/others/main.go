// Verifies a log with Go's own x/mod, which knows nothing of this repository: the signed head, the proof of a record, the tiles
// with the root, and that one head extends another.
//
//	go run main.go VKEY MIRROR PROOF ENTRY OLD-HEAD GROWTH
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "not verified:", err)
		os.Exit(1)
	}
}

func read(path string) string {
	bytes, err := os.ReadFile(path)
	must(err)
	return string(bytes)
}

func hash(line string) tlog.Hash {
	bytes, err := base64.StdEncoding.DecodeString(line)
	must(err)
	if len(bytes) != tlog.HashSize {
		must(fmt.Errorf("a hash of %d bytes", len(bytes)))
	}
	return tlog.Hash(*(*[tlog.HashSize]byte)(bytes))
}

func hashes(text string) (proof []tlog.Hash) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			proof = append(proof, hash(line))
		}
	}
	return proof
}

// open verifies a head: its size and root.
func open(text, vkey string) tlog.Tree {
	verifier, err := note.NewVerifier(strings.TrimSpace(vkey))
	must(err)
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		must(fmt.Errorf("the origin is %q", lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	return tlog.Tree{N: size, Hash: hash(lines[2])}
}

// tiles reads the tiles of a mirror, whose paths have no height.
type tiles string

func (tiles) Height() int                             { return 8 }
func (tiles) SaveTiles(_ []tlog.Tile, _ [][]byte)     {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		bytes, err := os.ReadFile(filepath.Join(string(t), path))
		if err != nil {
			return nil, err
		}
		found = append(found, bytes)
	}
	return found, nil
}

func main() {
	vkey, mirror := read(os.Args[1]), os.Args[2]
	head := open(read(filepath.Join(mirror, "checkpoint")), vkey)

	// The proof file: `extra`, `index`, the path, an empty line, the head.
	parts := strings.SplitN(read(os.Args[3]), "\n\n", 2)
	covering := open(parts[1], vkey)
	lines := strings.Split(parts[0], "\n")
	at := 1
	if strings.HasPrefix(lines[at], "extra ") {
		at++
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[at], "index "), 10, 64)
	must(err)
	leaf := tlog.RecordHash([]byte(read(os.Args[4])))
	must(tlog.CheckRecord(hashes(strings.Join(lines[at+1:], "\n")), covering.N, covering.Hash, index, leaf))

	// The tiles lead to the root, and hold the record.
	reader := tlog.TileHashReader(head, tiles(mirror))
	root, err := tlog.TreeHash(head.N, reader)
	must(err)
	if root != head.Hash {
		must(fmt.Errorf("the tiles lead to another root"))
	}
	proved, err := tlog.ProveRecord(head.N, index, reader)
	must(err)
	must(tlog.CheckRecord(proved, head.N, head.Hash, index, leaf))

	// The log has only grown.
	old := open(read(os.Args[5]), vkey)
	must(tlog.CheckTree(hashes(read(os.Args[6])), head.N, head.Hash, old.N, old.Hash))
	fmt.Printf("x/mod: head of %d records, record %d, tiles, growth from %d\n", head.N, index+1, old.N)
}
