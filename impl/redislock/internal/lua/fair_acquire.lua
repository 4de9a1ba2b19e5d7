-- Grants the lock if it is free and nobody stands in the queue before the owner.
-- KEYS: the lock, the queue (a list), the deadlines of those in it (a sorted
-- set, in milliseconds of this server's clock), optionally its token counter.
-- ARGV: owner, TTL, how long a waiter counts as alive after each attempt, both
-- in milliseconds; 0 means that a refused owner does not wait.
-- Answers {1, token} when granted; when not {0, PTTL of the holder}, or, if the
-- lock is free, {0, what is left to the first of the queue to come for it}.
local lock, queue, deadlines, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local alive = tonumber(ARGV[3])
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local holder = redis.call("GET", lock)
if holder == owner then
  return {1, KEYS[4] and tonumber(redis.call("GET", KEYS[4]) or 0) or 0}
end
-- The sign of life comes before the dead are skipped: a waiter that comes late
-- keeps its place if nobody has noticed.
if alive > 0 then
  redis.call("ZADD", deadlines, "XX", now + alive, owner)
end
local head = redis.call("LINDEX", queue, 0)
while head and tonumber(redis.call("ZSCORE", deadlines, head) or 0) < now do
  redis.call("LPOP", queue)
  redis.call("ZREM", deadlines, head)
  head = redis.call("LINDEX", queue, 0)
end

if not holder and (not head or head == owner) then
  -- The counter comes first: should it fail, nothing has been granted yet.
  local token = KEYS[4] and redis.call("INCR", KEYS[4]) or 0
  redis.call("SET", lock, owner, "PX", ARGV[2])
  if head then
    redis.call("LPOP", queue)
    redis.call("ZREM", deadlines, owner)
  end
  return {1, token}
end

if alive > 0 then
  if redis.call("ZADD", deadlines, now + alive, owner) == 1 then
    redis.call("RPUSH", queue, owner)
  end
  -- The last sign of life is the last deadline, after which all of it goes.
  redis.call("PEXPIRE", queue, alive + 1)
  redis.call("PEXPIRE", deadlines, alive + 1)
end
if holder then
  return {0, redis.call("PTTL", lock)}
end
return {0, (head and redis.call("ZSCORE", deadlines, head) or now) - now}
