package transcript

import "github.com/lockstep-sim/lockstep/lessons"

// vocabulary are the words of one language, as formats.
type vocabulary struct {
	title, broken, fixed, changed string

	// What happened; the actor comes first.
	plain, call, err           string
	send, exec, push           string
	answer, receive            string
	lost, fault, outage        string
	gone, value                string
	endless, session, until    string
	free, owned                string
	holds, holdsUntil          string
	holdsNot                   string
	violation                  string
	expectations, expectation  string
	met, failed, notApplicable string
	got                        string

	allMet, someFailed, someApply string
}

var words = map[lessons.Lang]*vocabulary{
	lessons.English: {
		title:   "%s: %s",
		broken:  "Variant %s, which has to break: %s",
		fixed:   "Variant %s, which must break nothing",
		changed: "Changed with --set: %s",

		plain:   "%s: %s",
		call:    "%s begins: %s",
		err:     " (%s)",
		send:    "%s sends to %s: %s",
		exec:    "%s executes for %s: %s; answer: %s",
		push:    "%s sends to %s unasked: %s",
		answer:  "%s gets from %s the answer to %s: %s",
		receive: "%s gets from %s: %s",
		lost:    "From %s to %s: %s",
		fault:   "Fault at %s: %s",
		outage:  "Fault: %s",

		gone:       "%s: %s is gone",
		value:      "%s is now %s",
		endless:    "%s: %s = %s, which does not expire",
		session:    "%s: %s = %s, as long as the session of %s",
		until:      "%s: %s = %s, which expires at %s",
		free:       "%s: %s is free",
		owned:      "%s: %s belongs to %s",
		holds:      "%s believes it holds %s",
		holdsUntil: "%s believes it holds %s until %s",
		holdsNot:   "%s no longer believes it holds %s",
		violation:  "VIOLATION of %s: %s",

		expectations:  "Expectations:",
		expectation:   "line %d, %s: %s",
		met:           "ok",
		failed:        "FAILED",
		notApplicable: "not applicable to the changed parameters",
		got:           "; got: %s",
		allMet:        "%d of %[1]d met.",
		someFailed:    "%d of %d failed.",
		someApply:     "%d of %d are met; the others do not apply to the changed parameters.",
	},
	lessons.Chinese: {
		title:   "%s：%s",
		broken:  "变体 %s，必须违反：%s",
		fixed:   "变体 %s，不得违反任何不变量",
		changed: "用 --set 改动：%s",

		plain:   "%s：%s",
		call:    "%s 开始：%s",
		err:     "（%s）",
		send:    "%s 发给 %s：%s",
		exec:    "%s 为 %s 执行：%s；应答：%s",
		push:    "%s 主动发给 %s：%s",
		answer:  "%s 收到 %s 对 %s 的应答：%s",
		receive: "%s 收到 %s 发来的：%s",
		lost:    "从 %s 到 %s：%s",
		fault:   "故障，%s：%s",
		outage:  "故障：%s",

		gone:       "%s：%s 已不存在",
		value:      "%s 现在是 %s",
		endless:    "%s：%s = %s，永不过期",
		session:    "%s：%s = %s，随 %s 的会话存在",
		until:      "%s：%s = %s，%s 到期",
		free:       "%s：%s 空闲",
		owned:      "%s：%s 属于 %s",
		holds:      "%s 认为自己持有 %s",
		holdsUntil: "%s 认为自己持有 %s，直到 %s",
		holdsNot:   "%s 不再认为自己持有 %s",
		violation:  "违反不变量 %s：%s",

		expectations:  "预期：",
		expectation:   "第 %d 行，%s：%s",
		met:           "符合",
		failed:        "不符合",
		notApplicable: "不适用于改动后的参数",
		got:           "；实际：%s",
		allMet:        "%d 条全部符合。",
		someFailed:    "%[2]d 条中有 %[1]d 条不符合。",
		someApply:     "%[2]d 条中有 %[1]d 条符合，其余不适用于改动后的参数。",
	},
}
