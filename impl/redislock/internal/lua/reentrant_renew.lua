-- Gives the lock a full TTL from now, unless it has more, if the hold is in it.
-- KEYS: the lock. ARGV: owner, hold, TTL in milliseconds. Answers 1, or 0 if there is no such hold.
local lock = KEYS[1]
if redis.call("HEXISTS", lock, ARGV[1] .. ":" .. ARGV[2]) == 0 then
  return 0
end
if redis.call("PTTL", lock) < tonumber(ARGV[3]) then
  redis.call("PEXPIRE", lock, ARGV[3])
end
return 1
