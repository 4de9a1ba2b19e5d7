-- Ends one hold; with the last one it deletes the lock and tells those who wait.
-- KEYS: the lock. ARGV: owner, hold, channel. Answers 1, or 0 if there is no such hold.
local lock, owner = KEYS[1], ARGV[1]
if redis.call("HDEL", lock, owner .. ":" .. ARGV[2]) == 0 then
  return 0
end
if redis.call("HINCRBY", lock, owner, -1) == 0 then
  redis.call("DEL", lock)
  redis.call("PUBLISH", ARGV[3], "released")
end
return 1
