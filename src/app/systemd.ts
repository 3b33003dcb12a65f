import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '../common/log.ts';
import type { Config } from './config/config.ts';

/** How long one message may take. */
const SENDING_MS = 10_000;

/**
 * Tells systemd that the service serves and then, until the signal, that it still responds. It never does if a thread
 * hangs, so that systemd ends the process. Does nothing without systemd.
 *
 * @param responds resolves when every thread has responded
 */
export async function notifySystemd(
  { systemd, log, stop }: { systemd: Config['systemd']; log: Log; stop: AbortSignal },
  responds: () => Promise<unknown>,
): Promise<void> {
  if (systemd === null) return;
  const tell = (message: string) =>
    send(message).then(
      () => true,
      (error: unknown) => {
        log.error({ err: error }, 'systemd cannot be told that the service runs');
        return false;
      },
    );
  // Without this message, the unit stays in its start for ever.
  while (!(await tell('READY=1')) && !stop.aborted) {
    await sleep(SENDING_MS, undefined, { signal: stop }).catch(() => {});
  }
  while (systemd.watchdogMs !== null && !stop.aborted) {
    await responds().then(
      () => tell('WATCHDOG=1'),
      () => {},
    );
    await sleep(systemd.watchdogMs / 3, undefined, { signal: stop }).catch(() => {});
  }
}

/** Node has no datagram sockets of Unix, so the program of systemd sends the message. */
async function send(message: string): Promise<void> {
  await promisify(execFile)('systemd-notify', [message], { timeout: SENDING_MS });
}
