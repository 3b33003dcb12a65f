import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { environment, MAIN, serve, temporaryFolder } from '../harness/cli.ts';

/** Runs a program in a terminal, sends it SIGHUP when it serves, then closes the terminal, and prints the exit code. */
const TERMINAL = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b''
def read_until(word):
    global seen
    while word not in seen:
        seen += os.read(terminal, 4096)
read_until(b'Documentation')
os.kill(pid, signal.SIGHUP)
read_until(b'SIGHUP')
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

it.skipIf(spawnSync('python3', ['--version']).status !== 0).each(['1', '2'])(
  'a service with %s workers goes on after SIGHUP, and stops when its terminal is closed (needs python3)',
  async (workers) => {
    using folder = temporaryFolder();
    const words = ['-c', TERMINAL, process.execPath, MAIN, 'serve', '--workers', workers];
    const child = spawn('python3', words, {
      env: environment(folder.at('data')),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await text(child.stdout)).toBe('0\n');
  },
);

it('a service goes on when the reader of its log has left, and stops at SIGTERM', async () => {
  using folder = temporaryFolder();
  await using service = await serve(folder.at('data'));
  service.child.stderr!.destroy();
  for (let i = 0; i < 3; i++) expect((await service.get('/v1/tracks')).status).toBe(401);
  expect(await service.stop()).toBe(0);
});
