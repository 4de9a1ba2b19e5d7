package lessons

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/lockstep-sim/lockstep/scenarios"
)

//go:embed en zh
var texts embed.FS

// ext is the extension of lesson files.
const ext = ".md"

// Chapter is a group of lessons: those whose IDs begin with its own.
type Chapter struct {
	ID     string
	titles map[Lang]string
}

// chapters are in the order of the curriculum.
var chapters = []Chapter{
	{"why", map[Lang]string{English: "Why a distributed lock", Chinese: "为什么需要分布式锁"}},
	{"redis", map[Lang]string{English: "Redis: a key with a time to live", Chinese: "Redis：带过期时间的键"}},
	{"fencing", map[Lang]string{English: "Fencing: when the lock is not enough", Chinese: "栅栏令牌：光有锁还不够"}},
	{"zookeeper", map[Lang]string{English: "ZooKeeper: sessions and queues of nodes", Chinese: "ZooKeeper：会话与节点队列"}},
	{"etcd", map[Lang]string{English: "etcd: leases, transactions, revisions", Chinese: "etcd：租约、事务与修订版本"}},
	{"consul", map[Lang]string{English: "Consul: sessions, blocking queries, the lock-delay", Chinese: "Consul：会话、阻塞查询与锁延迟"}},
	{"database", map[Lang]string{English: "Databases: rows, transactions, versions", Chinese: "数据库：行、事务与版本号"}},
	{"choose", map[Lang]string{English: "Which lock for what", Chinese: "该选哪一种锁"}},
}

// Chapters lists the chapters in the order of the curriculum.
func Chapters() []Chapter { return chapters }

// Title is the title of the chapter.
func (c *Chapter) Title(lang Lang) string { return c.titles[lang] }

// Lessons are the IDs of the lessons of the chapter in their order.
func (c *Chapter) Lessons() []string {
	var out []string
	for _, id := range scenarios.List() {
		if strings.HasPrefix(id, c.ID+"/") {
			out = append(out, id)
		}
	}
	return out
}

// Load reads the text of a lesson by the ID of its scenario. The error wraps
// fs.ErrNotExist if there is none in this language.
func Load(id string, lang Lang) (*Lesson, error) {
	file := path.Join(string(lang), id+ext)
	src, err := texts.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no text of lesson %s in language %s: %w", id, lang, fs.ErrNotExist)
	}
	l, err := Parse(path.Join("lessons", file), src)
	if err != nil {
		return nil, err
	}
	l.ID, l.Lang = id, lang
	return l, nil
}
