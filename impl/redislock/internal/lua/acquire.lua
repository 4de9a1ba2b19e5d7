-- Grants the lock if it is free, and numbers the grant.
-- KEYS: the lock, its token counter. ARGV: owner, TTL in milliseconds.
-- Answers {1, token} when granted, {0, PTTL of the holder} when not.
if redis.call("EXISTS", KEYS[1]) == 1 then
  return {0, redis.call("PTTL", KEYS[1])}
end
-- The counter comes first: should it fail, nothing has been granted yet.
-- It has no TTL, so that tokens go on growing when the lock was free for long.
local token = redis.call("INCR", KEYS[2])
redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
return {1, token}
