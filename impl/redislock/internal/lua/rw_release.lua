-- Ends one hold, and tells those who wait when it was the last of its kind.
-- KEYS: the holds of its kind. ARGV: hold, channel. Answers 1, or 0 if there is no such hold.
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", "(" .. now)
if redis.call("ZREM", KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call("EXISTS", KEYS[1]) == 0 then
  redis.call("PUBLISH", ARGV[2], "released")
end
return 1
