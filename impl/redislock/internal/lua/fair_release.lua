-- Deletes the lock if it belongs to the owner, takes the owner out of the queue,
-- and wakes the first of the queue if the lock is free.
-- KEYS: the lock, the queue, its deadlines. ARGV: owner, channel, to which
-- ":" and an owner are added. Answers 1, or 0 if the lock is not the owner's.
local lock, queue, deadlines, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local holder = redis.call("GET", lock)
local held = holder == owner
if held then
  redis.call("DEL", lock)
end
redis.call("ZREM", deadlines, owner)
redis.call("LREM", queue, 1, owner)
if held or not holder then
  local t = redis.call("TIME")
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  local head = redis.call("LINDEX", queue, 0)
  while head and tonumber(redis.call("ZSCORE", deadlines, head) or 0) < now do
    redis.call("LPOP", queue)
    redis.call("ZREM", deadlines, head)
    head = redis.call("LINDEX", queue, 0)
  end
  if head then
    redis.call("PUBLISH", ARGV[2] .. ":" .. head, "your turn")
  end
end
return held and 1 or 0
