-- Grants a permit if fewer than all are out.
-- KEYS: the permits that are out, a sorted set by the end of each in
-- milliseconds of this server's clock. ARGV: owner, TTL in milliseconds, number of permits.
-- Answers {1, 0} when granted, {0, milliseconds to the end of the first permit} when not.
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", "(" .. now)
if not redis.call("ZSCORE", KEYS[1], ARGV[1]) and redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[3]) then
  local first = redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")
  return {0, first[2] - now}
end
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1])
-- The set lasts as long as the last of its permits.
local last = redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")
redis.call("PEXPIRE", KEYS[1], last[2] - now + 1)
return {1, 0}
