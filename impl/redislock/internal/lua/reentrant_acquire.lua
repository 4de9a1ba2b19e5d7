-- Grants the lock if it is free or already the owner's, and counts the hold.
-- KEYS: the lock, optionally its token counter. The lock is a hash: the owner
-- has the number of its holds, and each hold has a field "owner:hold" of its
-- own, so that a repeated request is not counted twice.
-- ARGV: owner, hold, TTL in milliseconds.
-- Answers {1, token} when granted, {0, PTTL of the lock} when not.
local lock, owner, hold = KEYS[1], ARGV[1], ARGV[1] .. ":" .. ARGV[2]
local free = redis.call("EXISTS", lock) == 0
if not free and redis.call("HEXISTS", lock, owner) == 0 then
  return {0, redis.call("PTTL", lock)}
end
local token = 0
if KEYS[2] then
  -- The counter comes first: should it fail, nothing has been granted yet.
  -- While the lock is held nobody else counts, so re-entry finds its token.
  token = tonumber(redis.call(free and "INCR" or "GET", KEYS[2]) or 0)
end
if redis.call("HSETNX", lock, hold, 1) == 1 then
  redis.call("HINCRBY", lock, owner, 1)
end
-- Re-entry for a shorter time leaves the longer one.
if redis.call("PTTL", lock) < tonumber(ARGV[3]) then
  redis.call("PEXPIRE", lock, ARGV[3])
end
return {1, token}
