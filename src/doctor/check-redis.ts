import type { Config } from '../config.ts';
import { redisAddress, redisFault } from '../storage/redis/connection.ts';
import { redisVersion } from '../storage/redis/server-version.ts';
import { type Finding, ok, warning } from './finding.ts';

const OLDEST_REDIS = 7;

const PATIENCE_MS = 3000;

/** Whether Redis answers and is not too old. Nothing is worse than a warning: Stave works without. */
export async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === null) {
    return ok('redis', 'off: each node counts requests for itself');
  }
  const address = redisAddress(redisUrl);
  let version: string;
  try {
    version = await redisVersion(redisUrl, PATIENCE_MS);
  } catch (error) {
    return warning(
      'redis',
      `${address} is away (${redisFault(error, redisUrl)}); each node counts requests by itself`,
      'start it, or look at STAVE_REDIS_URL',
    );
  }
  return Number.parseInt(version, 10) >= OLDEST_REDIS
    ? ok('redis', `Redis ${version} at ${address}`)
    : warning(
        'redis',
        `version ${version} at ${address}`,
        `run Redis ${OLDEST_REDIS} or newer: older ones are not tried`,
      );
}
