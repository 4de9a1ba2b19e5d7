-- Grants one hold to read or to write.
-- KEYS: the holds to write, the holds to read, optionally the token counter.
-- Both are sorted sets by the end of each hold in milliseconds of this server's
-- clock; a hold begins with the name of its owner, in a form such that no name
-- is the beginning of another.
-- ARGV: "read" or "write", the beginning of the owner's holds, hold, TTL in ms.
-- Answers {1, token} when granted (0 to a reader); when not, {0, milliseconds to
-- the end of the last hold in the way}; {-1, 0} to an owner that reads and
-- would have to wait for itself to write.
local mode, mine, hold = ARGV[1], ARGV[2], ARGV[3]
local wanted = mode == "write" and KEYS[1] or KEYS[2]
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)

-- owns tells whether the owner has a hold in the set, and when the last hold of
-- somebody else ends.
local function owns(set)
  redis.call("ZREMRANGEBYSCORE", set, "-inf", "(" .. now)
  local holds = redis.call("ZRANGE", set, 0, -1, "WITHSCORES")
  local own, ends = false, nil
  for i = 1, #holds, 2 do
    if string.sub(holds[i], 1, #mine) == mine then
      own = true
    else
      ends = tonumber(holds[i + 1])
    end
  end
  return own, ends
end

local writes, ends = owns(KEYS[1])
if mode == "write" and not ends and not writes then
  local reads, last = owns(KEYS[2])
  if reads then
    return {-1, 0}
  end
  ends = last
end
if ends then
  return {0, ends - now}
end

-- The counter comes first: should it fail, nothing has been granted yet.
local token = 0
if mode == "write" and KEYS[3] then
  token = tonumber(redis.call(writes and "GET" or "INCR", KEYS[3]) or 0)
end
redis.call("ZADD", wanted, now + ARGV[4], hold)
-- The set lasts as long as the last of its holds.
local last = redis.call("ZRANGE", wanted, -1, -1, "WITHSCORES")
redis.call("PEXPIRE", wanted, last[2] - now + 1)
return {1, token}
