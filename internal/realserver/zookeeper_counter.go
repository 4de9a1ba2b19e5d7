package realserver

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"os"
	"path/filepath"
)

// ZooKeeperCounter prepares the data of a server that has the node path, and has
// seen so many children of it come and go. Two thousand million creates, after
// which the sequence numbers run out, would take days; so this writes what the
// server itself writes down (org.apache.zookeeper.server.persistence.FileSnap).
func ZooKeeperCounter(path string, created int32) func(string) error {
	const zxid = 0x10
	return func(dataDir string) error {
		var w snapshot
		w.int32(0x5a4b534e) // "ZKSN"
		w.int32(2)          // version
		w.int64(-1)         // database id
		w.int32(0)          // sessions
		w.int32(1)          // access control lists: one,
		w.int64(1)          // numbered 1,
		w.int32(1)          // with one entry:
		w.int32(31)
		w.string("world")
		w.string("anyone")
		w.node("", zxid, 1)
		for i := 1; i < len(path); i++ {
			if path[i] == '/' {
				w.node(path[:i], zxid, 1)
			}
		}
		w.node(path, zxid, created)
		w.string("/") // the end of the nodes
		w.int64(int64(adler32.Checksum(w.Bytes())))
		w.string("/")

		dir := filepath.Join(dataDir, "version-2")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "snapshot.10"), w.Bytes(), 0o600)
	}
}

type snapshot struct{ bytes.Buffer }

func (w *snapshot) int32(v int32) { w.Write(binary.BigEndian.AppendUint32(nil, uint32(v))) }
func (w *snapshot) int64(v int64) { w.Write(binary.BigEndian.AppendUint64(nil, uint64(v))) }

func (w *snapshot) string(s string) {
	w.int32(int32(len(s)))
	w.WriteString(s)
}

// node writes a persistent node without data.
func (w *snapshot) node(path string, zxid int64, created int32) {
	w.string(path)
	w.int32(0)    // data
	w.int64(1)    // access control list
	w.int64(zxid) // created
	w.int64(zxid) // modified
	w.int64(0)    // ctime
	w.int64(0)    // mtime
	w.int32(0)    // version
	w.int32(created)
	w.int32(0)    // version of the list
	w.int64(0)    // owner
	w.int64(zxid) // children changed
}
