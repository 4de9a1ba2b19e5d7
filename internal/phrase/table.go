package phrase

// sentences are what a run says, in the order in which they are tried: the more
// special ones first.
var sentences = [][2]string{
	// The ends of actions (sim/runner).
	{"{1}: granted as {2}, token {3}, until {4}", "{1}：已获得锁，身份 {2}，令牌 {3}，有效至 {4}"},
	{"{1}: granted as {2}, until {3}", "{1}：已获得锁，身份 {2}，有效至 {3}"},
	{"{1}: granted as {2}, token {3}", "{1}：已获得锁，身份 {2}，令牌 {3}"},
	{"{1}: granted as {2}", "{1}：已获得锁，身份 {2}"},
	{"{1}: skipped, the lock was not granted", "{1}：跳过，因为没有获得锁"},
	{"{1}: ok", "{1}：成功（ok）"},
	{"{1}: not-acquired", "{1}：没有获得锁（not-acquired）"},
	{"{1}: not-held", "{1}：已不再持有锁（not-held）"},
	{"{1}: lost", "{1}：租约已丢失（lost）"},
	{"{1}: rejected", "{1}：被资源拒绝（rejected）"},
	{"{1}: sold-out", "{1}：已售罄（sold-out）"},
	{"{1}: failed", "{1}：失败（failed）"},
	{"{1}: unknown", "{1}：结果未知（unknown）"},
	{"{1}: error", "{1}：出错（error）"},
	{"its lease is over: {1}", "租约已结束：{1}"},

	// Faults and messages (sim/network, sim/store).
	{"crashes", "崩溃"},
	{"is paused for {1}", "暂停 {1}"},
	{"resumes", "恢复运行"},
	{"{1}: cut off from {2}", "{1}：与 {2} 失去联系"},
	{"{1}: reach {2} again", "{1}：与 {2} 恢复联系"},
	{"is cut off from {1}", "与 {1} 失去联系"},
	{"no longer reaches {1}", "发出的消息到不了 {1}"},
	{"reaches {1} again", "与 {1} 恢复联系"},
	{"loses its connections", "连接断开"},
	{"is lost with its host", "连同主机一起消失"},
	{"starts again", "重新启动"},
	{"its clock jumps by {1}", "时钟跳变 {1}"},
	{"the request is lost", "请求丢失"},
	{"the answer is lost", "应答丢失"},
	{"event: {1} deleted at {2}", "事件：{1} 于版本 {2} 被删除"},
	{"holds the query of {1} until {2} changes", "挂起 {1} 的查询，直到 {2} 有变化"},
	{"invalidates {1}, lock-delay {2}", "令 {1} 失效，锁延迟 {2}"},
	{"invalidates {1}", "令 {1} 失效"},
	{"saves a snapshot at index {1}", "保存快照，索引 {1}"},
	{"restores the snapshot, index {1}", "恢复快照，索引 {1}"},
	{"starts again with nothing, index {1}", "重新启动，没有任何数据，索引 {1}"},
	{"starts again, index {1}", "重新启动，索引 {1}"},
	{"is killed", "被杀死"},
	{"out of time and revoked: {1}", "已到期并撤销：{1}"},
	{"message on {1}", "频道 {1} 上的消息"},
	{"{1} expires", "{1} 到期"},
	{"{1} is {2}, below {3}", "{1} 为 {2}，低于下限 {3}"},
	{"{1} is still taken by {2}, which has been gone for {3}", "{1} 仍被 {2} 占着，而它已离开 {3}"},
	{"{1} is {2}", "{1} 为 {2}"},
	{"checked", "检查不变量"},

	// The reasons of violations (sim/check).
	{"{1} believe that they hold {2}", "{1} 都认为自己持有 {2}"},
	{"{1} are at work at the same time", "{1} 同时在工作"},
	{"{1} was granted token {2} after token {3}", "{1} 得到令牌 {2}，而令牌 {3} 早已发出"},
	{"{1} took {2} away from {3} with {4}", "{1} 用 {4} 从 {3} 手中拿走了 {2}"},
	{"{1} prolonged the lock of {2} with {3}", "{1} 用 {3} 延长了 {2} 的锁"},
	{"{1} overwrote {2}: its grant is older than that of {3}, which has written already", "{1} 覆盖了 {2}：它的授予早于 {3}，而后者已经写过"},
	{"{1} has been free for {2}, and nobody has told {3}", "{1} 已空闲 {2}，却没有人通知 {3}"},
	{"{1} waits for a lock that it holds itself", "{1} 在等待自己持有的锁"},
	{"{1} wait for each other", "{1} 互相等待"},
	{"{1} was granted {2} before {3}, which asked earlier", "{1} 先于更早请求的 {3} 获得了 {2}"},
	{"{1} believe that they hold a permit of {2}", "{1} 都认为自己持有许可，而许可只有 {2} 个"},
	{"{1} of {2} permits of {3} have been held for {4}, and somebody waits for one", "{3} 的 {2} 个许可中只有 {1} 个被持有，已持续 {4}，却仍有客户端在等待"},
	{"{1} still belongs to {2}", "{1} 仍属于 {2}"},
}

// parts are what stands inside sentences.
var parts = [][2]string{
	{"{1} and {2}", "{1} 和 {2}"},
	{"lease {1}", "租约 {1}"},
	{"lock lost", "锁已丢失"},
	{"lock released", "锁已释放"},
	{"lock session expired", "锁的会话已过期"},
}
