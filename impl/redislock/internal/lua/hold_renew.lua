-- Gives one hold a full TTL from now, unless it has more, if it is in the set.
-- KEYS: the holds, a sorted set by the end of each in milliseconds of this
-- server's clock. ARGV: hold, TTL in milliseconds. Answers 1, or 0 if it is not in the set.
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", "(" .. now)
local ends = redis.call("ZSCORE", KEYS[1], ARGV[1])
if not ends then
  return 0
end
redis.call("ZADD", KEYS[1], math.max(tonumber(ends), now + ARGV[2]), ARGV[1])
-- The set lasts as long as the last of its holds.
local last = redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")
redis.call("PEXPIRE", KEYS[1], last[2] - now + 1)
return 1
