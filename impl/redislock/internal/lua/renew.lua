-- Gives the lock a full TTL from now if it belongs to the owner.
-- KEYS: the lock. ARGV: owner, TTL in milliseconds. Answers 1, or 0 if it is not the owner's.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
