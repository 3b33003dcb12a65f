import { createHash } from 'node:crypto';

/** Runs in Redis as one step: nothing comes between its looking and its counting. */
export interface Script {
  text: string;
  /** By which Redis knows it once it has run. */
  sha: string;
}

/**
 * Counts one where the window of KEYS[1] holds fewer than ARGV[1]. ARGV[2] is a window's length in
 * milliseconds. Answers whether it was counted (1 or 0), what the window now holds, and the
 * milliseconds until it ends, at least 1.
 *
 * A window is a number that expires, so the time is that of Redis. A key at 0 ms is over and not yet
 * gone; one that lasts longer than a window lasts longer because the clock of Redis was set back.
 */
export const COUNT = script(`
local length = tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
local count = left > 0 and tonumber(redis.call('GET', KEYS[1])) or 0
if left > length then
  left = length
  redis.call('PEXPIRE', KEYS[1], length)
end
if count >= tonumber(ARGV[1]) then
  return {0, count, left > 0 and left or length}
elseif left > 0 then
  return {1, redis.call('INCR', KEYS[1]), left}
end
redis.call('SET', KEYS[1], 1, 'PX', length)
return {1, 1, length}
`);

/**
 * Adds ARGV[1], which were counted elsewhere while Redis was away, to the window of KEYS[1]. Where
 * Redis has lost the window, it begins one that held ARGV[2] before and ends in ARGV[3] milliseconds.
 * Answers as COUNT does.
 */
export const ADD = script(`
if redis.call('PTTL', KEYS[1]) > 0 then
  return {1, redis.call('INCRBY', KEYS[1], ARGV[1]), redis.call('PTTL', KEYS[1])}
end
redis.call('SET', KEYS[1], ARGV[1] + ARGV[2], 'PX', ARGV[3])
return {1, ARGV[1] + ARGV[2], tonumber(ARGV[3])}
`);

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}
