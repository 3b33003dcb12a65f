import { readFileSync } from 'node:fs';
import type { Log } from '../../common/log.ts';
import type { Config } from './config.ts';

/**
 * The file descriptors that connections of the API may not take: 132 for connections of the console and of the metrics,
 * the others for the database, audio files, threads and new connections.
 */
const RESERVED_DESCRIPTORS = 512;

/**
 * Returns the limits of connections of the API. They leave the other parts of the process enough file descriptors, if
 * the system limits these (`/proc/self/limits`, on Linux). Logs a warning if this lowers the configured limit.
 */
export function connectionLimits(
  { maxConnections }: Config,
  log: Pick<Log, 'warn'>,
  limits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
): Config['maxConnections'] {
  const descriptors = openFileLimit(limits);
  const inAll = Math.min(
    maxConnections.inAll,
    Math.max(Math.floor(descriptors / 2), descriptors - RESERVED_DESCRIPTORS),
  );
  if (inAll < maxConnections.inAll) {
    log.warn(
      { maxConnections: maxConnections.inAll, openFiles: descriptors, accepted: inAll },
      'the limit of open files is too low for STAVE_MAX_CONNECTIONS: raise it (LimitNOFILE, ulimit -n)',
    );
  }
  return { ...maxConnections, inAll };
}

/** The number of files that the process may open; infinite if the system does not tell. */
function openFileLimit(limits: () => string): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(limits());
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
