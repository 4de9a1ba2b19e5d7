-- Deletes the lock if it belongs to the owner, and tells those who wait for it.
-- KEYS: the lock. ARGV: owner, channel. Answers 1, or 0 if it is not the owner's.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call("DEL", KEYS[1])
redis.call("PUBLISH", ARGV[2], "released")
return 1
