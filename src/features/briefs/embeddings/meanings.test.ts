import { expect, it, vi } from 'vitest';
import { silentLog } from '../../../common/log.ts';
import { ThreadEnded } from '../../../common/threads/thread.ts';
import { Meanings, type NearTermSource } from './meanings.ts';

const TERMS = { key: 'one', terms: ['dark', 'calm'] };
const DARK = [{ term: 'dark', similarity: 0.9 }];

function sourceOf(nearest: NearTermSource['nearest'], prepare = async () => {}) {
  return { nearest: vi.fn(nearest), prepare: vi.fn(prepare) };
}

it('is off without a choice, and then compares nothing', async () => {
  const meanings = new Meanings(null, undefined, silentLog);
  expect(await meanings.near(['a detective'], () => TERMS)).toEqual({ state: 'off', near: [] });
});

it('prepares the vocabulary at the first phrases, and keeps what it found', async () => {
  let isReady = false;
  const source = sourceOf(
    async (_key, phrases) => (isReady ? phrases.map(() => DARK) : null),
    async () => {
      isReady = true;
    },
  );
  const meanings = new Meanings({ kind: 'local' }, source, silentLog);
  expect(await meanings.near([], () => TERMS)).toEqual({ state: 'local', near: [] });
  expect(source.nearest).not.toHaveBeenCalled();
  for (let page = 0; page < 2; page++) {
    const found = await meanings.near(['a detective'], () => TERMS);
    expect(found).toEqual({ state: 'local', near: [DARK] });
  }
  expect(source.prepare.mock.calls).toEqual([['one', TERMS.terms]]);
  expect(source.nearest).toHaveBeenCalledTimes(2);
  await meanings.near(['a detective', 'a house'], () => TERMS);
  expect(source.nearest).toHaveBeenLastCalledWith('one', ['a house']);
  await meanings.near(['a detective'], () => ({ ...TERMS, key: 'two' }));
  expect(source.nearest).toHaveBeenLastCalledWith('two', ['a detective']);
  expect(meanings.counts).toEqual({ compared: 3, unavailable: 0 });
});

it('is unavailable while the source fails', async () => {
  const failure = new Error('no service');
  const source = sourceOf(() => Promise.reject(failure));
  const log = { ...silentLog, warn: vi.fn() };
  const remote = { kind: 'remote', url: 'http://127.0.0.1', model: 'm', key: null } as const;
  const meanings = new Meanings(remote, source, log);
  for (let i = 0; i < 2; i++) {
    const found = await meanings.near(['a detective'], () => TERMS);
    expect(found).toEqual({ state: 'unavailable', near: [] });
  }
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.warn).toHaveBeenCalledWith({ err: failure }, 'comparing a brief by meaning failed');
  source.nearest.mockImplementation(async (_key, phrases) => phrases.map(() => DARK));
  expect(await meanings.near(['a detective'], () => TERMS)).toEqual({
    state: 'remote',
    near: [DARK],
  });
});

it('is unavailable after two seconds, and at once if twenty others wait', async () => {
  const late = Promise.withResolvers<null>();
  const meanings = new Meanings(
    { kind: 'local' },
    sourceOf(() => late.promise),
    silentLog,
  );
  const waiting = Array.from({ length: 20 }, (_, i) => meanings.near([`phrase ${i}`], () => TERMS));
  const begun = performance.now();
  expect((await meanings.near(['one more'], () => TERMS)).state).toBe('unavailable');
  expect(performance.now() - begun).toBeLessThan(1_000);
  for (const { state } of await Promise.all(waiting)) expect(state).toBe('unavailable');
  late.resolve(null);
});

it('prepares the vocabulary before the first phrases, unless it is empty, and reports a failure', async () => {
  const source = sourceOf(async () => null);
  const log = { ...silentLog, warn: vi.fn() };
  const meanings = new Meanings({ kind: 'local' }, source, log);
  await meanings.prepare(() => ({ key: 'none', terms: [] }));
  expect(source.prepare).not.toHaveBeenCalled();
  await meanings.prepare(() => TERMS);
  expect(source.prepare.mock.calls).toEqual([['one', TERMS.terms]]);
  source.prepare.mockRejectedValue(new ThreadEnded());
  await meanings.prepare(() => TERMS);
  expect(log.warn).not.toHaveBeenCalled();
  source.prepare.mockRejectedValue(new Error('no model'));
  await meanings.prepare(() => TERMS);
  expect(log.warn).toHaveBeenCalledTimes(1);
});
