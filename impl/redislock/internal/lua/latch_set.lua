-- Makes a latch unless there is one.
-- KEYS: the latch, a hash: "count", and one field for each count that was made.
-- ARGV: the count, how long the latch lasts in milliseconds. Answers 1, or 0 if there is one.
if redis.call("HSETNX", KEYS[1], "count", ARGV[1]) == 0 then
  return 0
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return 1
