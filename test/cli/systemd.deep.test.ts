import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';

/** Prints each message that comes to a socket of datagrams, as systemd has one. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(s.recv(4096).decode().strip(), flush=True)
`;

const available = ['systemd-notify', 'python3'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);

describe.skipIf(!available)('the messages to systemd (needs systemd-notify and python3)', () => {
  let folder: TemporaryFolder;
  let receiver: ChildProcess;
  let received: string[];
  beforeEach(async () => {
    folder = temporaryFolder();
    received = [];
    receiver = spawn('python3', ['-c', RECEIVER, folder.at('socket')]);
    receiver.stdout!.setEncoding('utf8').on('data', (text: string) => {
      received.push(...text.trimEnd().split('\n'));
    });
    await until(() => received.includes('listening'), 'the receiver');
  });
  afterEach(() => {
    receiver.kill('SIGKILL');
    folder[Symbol.dispose]();
  });

  const count = (message: string) => received.filter((one) => one === message).length;

  it.each(['1', '2'])(
    'say that it serves, and again and again that it responds, with %s workers',
    async (workers) => {
      const env = { NOTIFY_SOCKET: folder.at('socket'), WATCHDOG_USEC: '600000' };
      await using service = await serve(folder.at('data'), env, ['--workers', workers]);
      await until(() => count('WATCHDOG=1') >= 3, 'the messages');
      expect(count('READY=1')).toBe(1);
      expect(received.indexOf('READY=1')).toBeLessThan(received.indexOf('WATCHDOG=1'));
      expect(await service.stop()).toBe(0);
      expect(service.output()).not.toContain('systemd cannot be told');
    },
  );

  it('end while the process hangs, and go on after it', async () => {
    const env = { NOTIFY_SOCKET: folder.at('socket'), WATCHDOG_USEC: '300000' };
    await using service = await serve(folder.at('data'), env);
    await until(() => count('WATCHDOG=1') > 0, 'the first message');
    service.child.kill('SIGSTOP');
    // A message that was on its way may arrive, and then none.
    const seen = count('WATCHDOG=1');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(count('WATCHDOG=1')).toBeLessThanOrEqual(seen + 1);
    service.child.kill('SIGCONT');
    await until(() => count('WATCHDOG=1') > seen + 1, 'further messages');
  });

  it('are sent without a watchdog once, and to this process alone', async () => {
    const env = { NOTIFY_SOCKET: folder.at('socket'), WATCHDOG_USEC: '300000', WATCHDOG_PID: '1' };
    await using service = await serve(folder.at('data'), env);
    await until(() => count('READY=1') === 1, 'the message');
    expect((await service.get('/livez')).status).toBe(200);
    expect(count('WATCHDOG=1')).toBe(0);
  });

  it('need their program, which is logged if it is missing, and the service goes on', async () => {
    const env = { NOTIFY_SOCKET: folder.at('socket'), PATH: '/nowhere' };
    await using service = await serve(folder.at('data'), env);
    await until(() => service.output().includes('systemd cannot be told'), 'the line of the log');
    expect((await service.get('/readyz')).status).toBe(200);
  });
});
