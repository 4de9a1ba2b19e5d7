package tui

func (f *fakeLibrary) Glossary(lang Lang) string {
	if lang == Chinese {
		return "## 租约\n\n到时自行结束的锁。"
	}
	return "## lease\n\nA lock that ends by itself at a time."
}

func (f *fakeLibrary) Guide(lang Lang) []Question {
	if lang == Chinese {
		return []Question{
			{ID: "start", Title: "做两次会怎样？", Text: "任何锁都无法排除。", Answers: []Answer{{Text: "只是浪费", Next: "waste"}, {Text: "会出错", Lesson: "redis/15-long-pause"}}},
			{ID: "waste", Title: "够用的锁", Text: "带所有者的租约。", Answers: []Answer{{Text: "删锁要当心", Lesson: misDeleteID}}},
		}
	}
	return []Question{
		{ID: "start", Title: "What if it is done twice?", Text: "No lock can rule that out.", Answers: []Answer{{Text: "It is a waste", Next: "waste"}, {Text: "It does harm", Lesson: "redis/15-long-pause"}}},
		{ID: "waste", Title: "An efficient lock", Text: "A lease with an owner.", Answers: []Answer{{Text: "Delete it with care", Lesson: misDeleteID}}},
	}
}

func (f *fakeLibrary) Chapters(lang Lang) []Chapter {
	if lang == Chinese {
		return []Chapter{
			{Title: "为什么需要分布式锁", Lessons: []Lesson{
				{ID: "why/02-granularity", Title: "锁的粒度", Question: "一把锁应该保护多大的范围？", Variants: []Variant{{Name: "only"}}},
			}},
			{Title: "用 Redis 做锁", Lessons: []Lesson{
				{
					ID: "redis/02-del-mis-delete", Title: "DEL 删掉了别人的锁", Question: "租约结束之后，DEL 删的是谁的锁？",
					Summary:  "A 的租约只有 300 毫秒，工作却要 400 毫秒。它释放锁的时候，锁**早已属于 B**。\n\n- `DEL` 不看所有者；\n- 比较并删除的脚本会看。",
					Variants: []Variant{{"del-unlock", true}, {"compare-and-delete", false}},
				},
				{ID: "redis/09-failover", Title: "故障转移", Question: "副本升主之后，锁还在吗？", Variants: []Variant{{"async", true}}},
				{ID: "redis/15-long-pause", Title: "长时间停顿", Question: "醒来之后它还持有锁吗？", Variants: []Variant{{"fenced", false}}},
			}},
		}
	}
	return []Chapter{
		{Title: "Why distributed locks", Lessons: []Lesson{
			{ID: "why/02-granularity", Title: "How much one lock should cover", Question: "How much should one lock cover?", Variants: []Variant{{Name: "only"}}},
		}},
		{Title: "Locks on Redis", Lessons: []Lesson{
			{
				ID: "redis/02-del-mis-delete", Title: "DEL deletes another's lock", Question: "Whose lock does DEL delete once the lease is over?",
				Summary:  "A's lease lasts 300 ms, its work 400 ms. By the time it releases the lock, the lock **belongs to B**.\n\n- `DEL` does not look at the owner.\n- A script that compares before it deletes does.",
				Variants: []Variant{{"del-unlock", true}, {"compare-and-delete", false}},
			},
			{ID: "redis/09-failover", Title: "Failover loses the lock", Question: "Is the lock still there after a replica takes over?", Variants: []Variant{{"async", true}}},
			{ID: "redis/15-long-pause", Title: "A long pause", Question: "Does it still hold the lock when it wakes up?", Variants: []Variant{{"fenced", false}}},
		}},
	}
}

var misDeleteTexts = map[Lang]Text{
	English: {
		Lesson: "# What happens\n\nA takes the lock for 300 ms and works for 400 ms. Redis removes the key when its time is up, B takes the lock, and then A sends `DEL`: it deletes **B's** lock.\n\n# What to do instead\n\nDelete only what is yours: compare the owner and delete in one script.\n\n> The effects of a script are all-or-nothing: no other command runs in between.\n\n1. Store a random owner.\n2. Compare it when releasing.\n\n```lua\nif redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end\nreturn redis.call('DEL', KEYS[1])\n```",
		Narration: map[string]Narration{
			"granted":   {"A gets the lock", "`SET … NX PX 300` sets the key only if it is absent, and gives it 300 ms to live. A starts counting **before** it sends the request, so its own deadline is never later than that of Redis."},
			"a-expires": {"The lease runs out", "A's lease is over, but A does not look: it works on. From here on, what it does and what the store says **part**. Redis removes the key one millisecond later, and B may take the lock."},
			"a-wakes":   {"A releases what it no longer has", "A has finished and sends its release. Watch what the store does with it: the lock belongs to **B** now. A plain `DEL` removes the key whoever owns it; the script finds another owner and returns 0."},
			"c-enters":  {"C asks for the lock", "B is in the middle of its work, and believes that it holds the lock until 5.35 s. If the key is gone, C gets in beside it."},
		},
		Invariants: map[string]string{
			"mutual-exclusion":    "mutual exclusion",
			"only-owner-releases": "only the owner releases",
			"eventual-release":    "free again in time",
		},
	},
	Chinese: {
		Lesson: "# 发生了什么\n\nA 拿到 300 毫秒的锁，工作却要 400 毫秒。时间一到，Redis 删除该键，B 拿到锁，然后 A 发出 `DEL`：删掉的是 **B 的锁。**\n\n# 应该怎么做\n\n只删自己的锁：在一个脚本里先比较所有者再删除。",
		Narration: map[string]Narration{
			"granted":   {"A 拿到锁", "`SET … NX PX 300` 只在键不存在时写入，并设 300 毫秒的存活时间。A 在**发送请求之前**就开始计时，所以它自己的期限绝不会晚于 Redis 的期限。"},
			"a-expires": {"租约到期", "A 的租约结束了，但它没有查看，继续工作。从这里开始，它的所作所为与存储中的事实**分道扬镳。**一毫秒之后 Redis 删除该键，B 就可以拿锁了。"},
			"a-wakes":   {"A 释放已经不属于它的锁", "A 做完了，发出释放请求。请看存储如何处理：锁现在属于 **B**。普通的 `DEL` 不管所有者是谁都会删除；脚本发现所有者不符，返回 0。"},
			"c-enters":  {"C 请求锁", "B 正在工作，并认为自己持有锁到 5.35 秒。如果键已不在，C 就会与它同时进入。"},
		},
		Invariants: map[string]string{
			"mutual-exclusion":    "互斥",
			"only-owner-releases": "只有所有者能释放",
			"eventual-release":    "最终会释放",
		},
	},
}
