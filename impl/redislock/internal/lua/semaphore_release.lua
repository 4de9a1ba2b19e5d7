-- Takes a permit back and tells those who wait for one.
-- KEYS: the permits that are out. ARGV: owner, channel. Answers 1, or 0 if the owner has none.
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", "(" .. now)
if redis.call("ZREM", KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call("PUBLISH", ARGV[2], "released")
return 1
