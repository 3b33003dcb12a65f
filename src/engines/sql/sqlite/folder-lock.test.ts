import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../common/errors.ts';
import { holderOf, holderOnAnotherHost, type LockHolder, lockFolder } from './folder-lock.ts';

const MODULE = new URL('./folder-lock.ts', import.meta.url).href;

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'stave-lock-')), 'data');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const holder = (pid: number): LockHolder => ({
  ...{ command: 'test', pid, host: 'here', since: '2026-11-20T10:00:00.000Z' },
});

/** Takes the lock, which must be free. */
async function taken(pid = 1): Promise<Disposable> {
  const result = await lockFolder(folder, holder(pid));
  if (!('lock' in result)) throw new Error(`held by ${JSON.stringify(result.heldBy)}`);
  return result.lock;
}

/** A process that tries to take the lock and tells what it got. It keeps a lock until it is killed. */
function tryInProcess() {
  const program = `
    const { lockFolder } = await import(${JSON.stringify(MODULE)});
    const { pid } = process;
    const holder = { command: 'test', pid, host: 'here', since: '' };
    const result = await lockFolder(${JSON.stringify(folder)}, holder);
    console.log(JSON.stringify('lock' in result ? { pid } : { refusedBy: result.heldBy?.pid ?? null }));
    if ('lock' in result) setInterval(() => result, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = once(child.stdout, 'data').then(([line]) => JSON.parse(String(line)));
  return { child, told };
}

describe('lockFolder', () => {
  it('takes a free lock, in a folder for this user alone, and tells the others who has it', async () => {
    expect(holderOf(folder)).toBeUndefined();
    using _lock = await taken(7);
    expect(await lockFolder(folder, holder(8))).toEqual({ heldBy: holder(7) });
    expect(holderOf(folder)).toEqual(holder(7));
    expect(readdirSync(folder).sort()).toEqual(['lock', 'lock.db']);
    for (const name of ['', 'lock', 'lock.db']) {
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });

  it('is free again when it is disposed of, also if others looked at it meanwhile', async () => {
    {
      using _lock = await taken(7);
      for (let i = 0; i < 3; i++) await lockFolder(folder, holder(8));
      expect(holderOf(folder)).toEqual(holder(7));
    }
    expect(holderOf(folder)).toBeUndefined();
    using _next = await taken(9);
    expect(holderOf(folder)).toEqual(holder(9));
  });

  it('lets one of many processes take it, and names that one to all others; it ends with the process', async () => {
    // What the process before has left in the file names nobody.
    (await taken(1))[Symbol.dispose]();
    const tries = Array.from({ length: 5 }, tryInProcess);
    try {
      const results = await Promise.all(tries.map(({ told }) => told));
      const winners = results.filter(({ pid }) => pid !== undefined);
      expect(winners).toHaveLength(1);
      const [{ pid }] = winners;
      expect(results.filter((result) => !winners.includes(result))).toEqual(
        Array(4).fill({ refusedBy: pid }),
      );
      const winner = tries.find(({ child }) => child.pid === pid)!.child;
      winner.kill('SIGSTOP');
      expect(holderOf(folder)).toMatchObject({ pid });
      winner.kill('SIGKILL');
      await once(winner, 'close');
      using _lock = await taken(7);
      expect(holderOf(folder)).toEqual(holder(7));
    } finally {
      for (const { child } of tries) child.kill('SIGKILL');
    }
  });

  it('names no former holder while the present one has not written who it is', async () => {
    (await taken(1))[Symbol.dispose]();
    using record = new DatabaseSync(join(folder, 'lock.db'));
    using lock = new DatabaseSync(join(folder, 'lock'));
    for (const one of [record, lock]) one.exec('BEGIN IMMEDIATE');
    await expect(lockFolder(folder, holder(8), { turnMs: 20 })).rejects.toThrow(
      `The database is busy: another process keeps ${join(folder, 'lock.db')} locked`,
    );
    record.exec(`UPDATE holder SET facts = '${JSON.stringify(holder(7))}'; COMMIT`);
    expect(await lockFolder(folder, holder(8), { turnMs: 20 })).toEqual({ heldBy: holder(7) });
  });

  describe('in a folder that hosts share', () => {
    const of = (host: string, bootId?: string, machineId?: string): LockHolder => ({
      ...holder(7),
      host,
      ...(bootId !== undefined && { bootId }),
      ...(machineId !== undefined && { machineId }),
    });
    const shared = { isShared: true };

    /** As if another kernel had the folder, too, which knows nothing of the lock. */
    async function leftBy(former: LockHolder): Promise<void> {
      // Where no other host can be, the record stays.
      const result = await lockFolder(folder, former);
      if ('lock' in result) result.lock[Symbol.dispose]();
    }

    it('is held by another host until that releases it', async () => {
      await leftBy(of('web-1', 'boot-1'));
      const self = of('web-2', 'boot-2');
      expect(await lockFolder(folder, self, shared)).toEqual({ heldBy: of('web-1', 'boot-1') });
      expect(holderOnAnotherHost(folder, self)).toEqual(of('web-1', 'boot-1'));
      const again = await lockFolder(folder, of('web-1', 'boot-1'), shared);
      if (!('lock' in again)) throw new Error('the same host is refused');
      again.lock[Symbol.dispose]();
      expect(holderOnAnotherHost(folder, self)).toBeUndefined();
      expect(await lockFolder(folder, self, shared)).toHaveProperty('lock');
    });

    it.each([
      [
        'the same machine, started again',
        of('web-1', 'boot-1', 'machine-1'),
        of('web-1', 'boot-2', 'machine-1'),
      ],
      ['a container of the same name', of('web-1', 'boot-1'), of('web-1', 'boot-2')],
      ['another container of the machine', of('a1', 'boot-1'), of('b2', 'boot-1')],
      ['a version that wrote no boot id', of('web-1', undefined), of('web-2', 'boot-2')],
      ['a system without boot ids', of('web-1', 'boot-1'), of('web-2', undefined)],
    ])('takes over from %s, which was killed', async (_, former, self) => {
      await leftBy(former);
      expect(holderOnAnotherHost(folder, self)).toBeUndefined();
      const result = await lockFolder(folder, self, shared);
      expect(result).toHaveProperty('lock');
      if ('lock' in result) result.lock[Symbol.dispose]();
    });

    it('is held by another machine of the same name', async () => {
      const [former, self] = [of('web', 'boot-1', 'machine-1'), of('web', 'boot-2', 'machine-2')];
      await leftBy(former);
      expect(holderOnAnotherHost(folder, self)).toEqual(former);
      expect(await lockFolder(folder, self, shared)).toEqual({ heldBy: former });
    });

    it('is released by a process that exits without doing so', async () => {
      const child = spawn(process.execPath, [
        '--input-type=module',
        '--eval',
        `const { lockFolder } = await import(${JSON.stringify(MODULE)});
        await lockFolder(${JSON.stringify(folder)}, ${JSON.stringify(of('web-1', 'boot-1'))}, { isShared: true });
        process.exit(3);`,
      ]);
      expect((await once(child, 'close'))[0]).toBe(3);
      expect(holderOnAnotherHost(folder, of('web-2', 'boot-2'))).toBeUndefined();
    });

    it('knows of no other host before anybody has locked it', () => {
      expect(holderOnAnotherHost(folder, of('web-1', 'boot-1'))).toBeUndefined();
    });
  });

  it.each([
    ['lock', 'a folder', (path: string) => mkdirSync(path, { recursive: true })],
    ['lock.db', 'another file', (path: string) => writeFileSync(path, 'no database. '.repeat(99))],
    ['lock', 'another file', (path: string) => writeFileSync(path, 'no database. '.repeat(99))],
  ])('tells the operator that %s is %s', async (name, _, make) => {
    mkdirSync(folder);
    make(join(folder, name));
    const failed = await lockFolder(folder, holder(7)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(OperatorError);
    expect((failed as Error).message).toContain(join(folder, name));
    expect(holderOf(folder)).toBeUndefined();
  });
});
