-- Counts down by one, and tells those who wait when nothing is left. An open
-- latch stays for a full time, so that those who look late see that it is open.
-- KEYS: the latch. ARGV: the name of this count, which is counted once however
-- often it is sent; channel; how long the latch lasts in milliseconds.
-- Answers what is left, or -1 if there is no latch.
local count = tonumber(redis.call("HGET", KEYS[1], "count") or -1)
if count <= 0 or redis.call("HSETNX", KEYS[1], "by:" .. ARGV[1], 1) == 0 then
  return count
end
count = redis.call("HINCRBY", KEYS[1], "count", -1)
if count == 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[3])
  redis.call("PUBLISH", ARGV[2], "open")
end
return count
