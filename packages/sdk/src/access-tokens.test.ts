import { describe, expect, it, vi } from 'vitest';
import { AccessTokens } from './access-tokens.ts';
import type { AccessToken } from './generated/types.ts';

vi.useFakeTimers({ toFake: ['Date'] });

const token = (access_token: string, expires_in: number): AccessToken => ({
  ...{ access_token, expires_in, token_type: 'Bearer', scope: '', mode: 'live' },
});

/** Tokens of these functions, in turn and at last always of the last one, and how often one was asked for. */
function tokensOf(...answers: (() => Promise<AccessToken>)[]) {
  let asked = 0;
  const tokens = new AccessTokens(() => answers[Math.min(asked++, answers.length - 1)]!());
  return { tokens, asked: () => asked };
}

describe('AccessTokens', () => {
  it.each([
    ['late', () => new Promise<AccessToken>(() => {}), 2],
    ['refused', () => Promise.reject(new Error('unhandled')), 3],
  ])('serves the present token while the next one is %s', async (_, next, times) => {
    const { tokens, asked } = tokensOf(async () => token('old', 100), next);
    expect(await tokens.get()).toBe('old');
    vi.advanceTimersByTime(89_999);
    expect(await tokens.get()).toBe('old');
    expect(asked()).toBe(1);
    vi.advanceTimersByTime(1);
    while (asked() < times) {
      expect(await tokens.get()).toBe('old');
      await new Promise(setImmediate);
    }
  });

  it('fails for all who wait, and asks again at the next call', async () => {
    const failure = () => Promise.reject(new Error('no token'));
    const { tokens, asked } = tokensOf(failure, async () => token('one', 60));
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => tokens.get()));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(asked()).toBe(1);
    expect(await tokens.get()).toBe('one');
  });

  it('asks for none if the call has ended, and lets one caller leave', async () => {
    const failing = tokensOf(() => Promise.reject(new Error('unhandled')));
    const ended = AbortSignal.abort(new Error('ended'));
    await expect(failing.tokens.get(ended)).rejects.toThrow('ended');
    expect(failing.asked()).toBe(0);

    const { promise, resolve } = Promise.withResolvers<AccessToken>();
    const { tokens } = tokensOf(() => promise);
    const controller = new AbortController();
    const [leaving, staying] = [tokens.get(controller.signal), tokens.get()];
    controller.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    resolve(token('one', 60));
    expect(await staying).toBe('one');
  });
});
