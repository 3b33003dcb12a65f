import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environment, MAIN, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';

const canMount =
  process.getuid?.() === 0 &&
  ['/dev/fuse', '/etc/machine-id'].every((path) => existsSync(path)) &&
  ['bindfs', 'unshare'].every((program) => spawnSync(program, ['--version']).status === 0);

/**
 * Two hosts with one folder: each has it by a FUSE of its own, so that locks of one are unknown to the other, and a name
 * and a boot id and a machine id of its own.
 */
describe.skipIf(!canMount)('two hosts with one data folder (needs root and bindfs)', () => {
  let folder: TemporaryFolder;
  let started: ChildProcess[];
  beforeEach(() => {
    folder = temporaryFolder();
    started = [];
    mkdirSync(folder.at('disk'), { mode: 0o700 });
    for (const host of ['web-1', 'web-2']) {
      mkdirSync(folder.at(host));
      execFileSync('bindfs', [folder.at('disk'), folder.at(host)]);
      writeFileSync(folder.at(`boot-of-${host}`), `boot-of-${host}\n`);
    }
  });
  afterEach(async () => {
    for (const child of started) child.kill('SIGKILL');
    for (const host of ['web-1', 'web-2']) execFileSync('umount', ['-l', folder.at(host)]);
    folder[Symbol.dispose]();
  });

  function on(host: string, args: readonly string[], name = host) {
    const program = `
      mount --bind "$1" /proc/sys/kernel/random/boot_id && mount --bind "$1" /etc/machine-id &&
      hostname "$2" && shift 2 && exec "$@"`;
    const words = [folder.at(`boot-of-${host}`), name, process.execPath, MAIN, ...args];
    const child = spawn('unshare', ['--mount', '--uts', 'sh', '-c', program, 'sh', ...words], {
      env: environment(folder.at(host)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    }
    const ended = Promise.all([
      new Promise<number | null>((resolve) => child.once('close', resolve)),
      text(child.stderr),
    ]).then(([code, stderr]) => ({ code, stderr }));
    return { child, ended, output: () => output };
  }

  it('lets one use it at a time, and warns both', async () => {
    const first = on('web-1', ['serve', '--json']);
    await until(() => first.output().includes('"address"'), 'the first service');
    expect(first.output()).toContain('other hosts may use the data folder');

    for (const args of [['serve'], ['clients', 'list'], ['upgrade', '--check']]) {
      const { code, stderr } = await on('web-2', args).ended;
      expect(stderr).toMatch(
        /^stave: The data folder \S+ is in use by `stave serve` \(process \d+ on web-1, since [^)]+\): stop that process, or use another data folder\. If web-1 no longer runs it, delete \S+lock\.db\.\n$/,
      );
      expect(code).not.toBe(0);
    }
    const sameName = await on('web-2', ['clients', 'list'], 'web-1').ended;
    expect(sameName.stderr).toMatch(
      /^stave: The data folder [^\n]+ If the other machine of this name no longer runs it, delete \S+lock\.db\.\n$/,
    );
    const doctor = on('web-2', ['doctor']);
    await doctor.ended;
    expect(doctor.output()).toMatch(/data folder: .*is on FUSE: if two hosts use it/);
    expect(doctor.output()).toMatch(/database: .*in use by `stave serve` \(process \d+ on web-1/);
    expect((await on('web-1', ['clients', 'list']).ended).code).toBe(0);

    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    const second = on('web-2', ['serve', '--json']);
    await until(() => second.output().includes('"address"'), 'the second service');
    // The second signal ends it at once.
    second.child.kill('SIGTERM');
    await until(() => second.output().includes('stopping'), 'the stop');
    second.child.kill('SIGTERM');
    await second.ended;
    expect((await on('web-1', ['clients', 'list']).ended).code).toBe(0);
  });
});
