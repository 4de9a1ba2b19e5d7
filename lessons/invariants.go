package lessons

// invariants are short titles of the invariants of sim/check. A test compares
// the two lists.
var invariants = map[string]map[Lang]string{
	"mutual-exclusion":    {English: "mutual exclusion", Chinese: "互斥"},
	"one-at-work":         {English: "one at work", Chinese: "同时只有一个在工作"},
	"only-owner-releases": {English: "only the owner releases", Chinese: "只有持有者能释放"},
	"only-owner-renews":   {English: "only the owner renews", Chinese: "只有持有者能续期"},
	"eventual-release":    {English: "free again in time", Chinese: "锁会按时释放"},
	"no-stale-write":      {English: "no stale write", Chinese: "没有过期的写入"},
	"no-lost-update":      {English: "no lost update", Chinese: "没有丢失的更新"},
	"no-duplicates":       {English: "nothing twice", Chinese: "没有重复的行"},
	"no-oversell":         {English: "no overselling", Chinese: "不超卖"},
	"tokens-grow":         {English: "tokens grow", Chinese: "令牌只增不减"},
	"no-forgotten-waiter": {English: "no waiter forgotten", Chinese: "没有被遗忘的等待者"},
	"no-long-wait":        {English: "no long wait", Chinese: "没有过长的等待"},
	"no-conflict-error":   {English: "no conflict error", Chinese: "没有冲突错误"},
	"no-lost-sale":        {English: "no lost sale", Chinese: "没有错失的销售"},
	"no-orphan":           {English: "no orphan", Chinese: "没有孤儿锁"},
	"no-herd":             {English: "no herd", Chinese: "没有惊群"},
	"no-deadlock":         {English: "no deadlock", Chinese: "没有死锁"},
	"fifo":                {English: "first come, first served", Chinese: "先到先得"},
	"at-most-permits":     {English: "no more holders than permits", Chinese: "持有者不多于许可"},
	"no-lost-permit":      {English: "no permit is lost", Chinese: "许可不丢失"},
	"nothing-left-behind": {English: "nothing left behind", Chinese: "不留残余"},
}

// Invariant is a short title of an invariant, or its name if it has none.
func Invariant(name string, lang Lang) string {
	if title := invariants[name][lang]; title != "" {
		return title
	}
	return name
}
