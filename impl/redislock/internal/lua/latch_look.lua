-- KEYS: the latch. Answers {what is left of the count, or -1 if there is no latch, its PTTL}.
return {tonumber(redis.call("HGET", KEYS[1], "count") or -1), redis.call("PTTL", KEYS[1])}
