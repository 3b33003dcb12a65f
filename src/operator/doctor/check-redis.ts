import type { Config } from '../../app/config/config.ts';
import { redisAddress, redisFault } from '../../engines/limits/redis/connection.ts';
import { redisVersion } from '../../engines/limits/redis/server-version.ts';
import { type Finding, ok, warning } from './finding.ts';

const OLDEST_REDIS = 7;

const TIMEOUT_MS = 3000;

/**
 * Checks whether Redis answers and is recent enough. The result is at worst a warning, because
 * Stave works without Redis.
 */
export async function checkRedis({ redisUrl }: Config): Promise<Finding> {
  if (redisUrl === null) {
    return ok('redis', 'off: each node counts requests for itself');
  }
  const address = redisAddress(redisUrl);
  let version: string;
  try {
    version = await redisVersion(redisUrl, TIMEOUT_MS);
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
        `run Redis ${OLDEST_REDIS} or newer: older versions are not tested`,
      );
}
