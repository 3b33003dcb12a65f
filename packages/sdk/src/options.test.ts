import { expect, it, onTestFinished } from 'vitest';
import { StaveTimeoutError } from './errors.ts';
import { scriptedServer, send, sendError } from './scripted-server.test-support.ts';

it('takes an address with a path and a slash, and only its origin and its path', async () => {
  const server = await scriptedServer(({ url }, response) => send(response, 200, { url }));
  const { host } = new URL(server.url);
  const token = { access_token: 'a', expires_in: 60, token_type: 'Bearer', scope: '' } as const;
  const getAccessToken = async () => ({ ...token, mode: 'live' }) as const;
  const urls: string[] = [];
  const hooks = { onRequest: ({ url }: { url: string }) => void urls.push(url) };
  const baseUrl = `http://user:sesame@${host}/stave//?a=b#c`;
  await server.client({ baseUrl, getAccessToken, hooks }).readMe();
  expect(urls).toEqual([`http://${host}/stave/v1/me`]);
  expect(server.received[0]!.url).toBe('/stave/v1/me');
});

it('keeps the options of the client where those of the request have no value', async () => {
  const server = await scriptedServer((_, response) => sendError(response, 503, 'unavailable'));
  const stave = server.client({ language: 'de', maxRetries: 0 });
  const none = { language: undefined, maxRetries: undefined, timeoutMs: undefined };
  await expect(stave.readMe(none as object)).rejects.toMatchObject({ type: 'unavailable' });
  expect(server.received).toHaveLength(1);
  expect(server.received[0]!.headers['accept-language']).toBe('de');
});

it('takes a time limit or a pause that no timer can have', async () => {
  const server = await scriptedServer((_, response) =>
    server.received.length === 1
      ? sendError(response, 429, 'rate_limited', { 'retry-after': '9999999' })
      : send(response, 200, {}),
  );
  const controller = new AbortController();
  const delays: number[] = [];
  const stave = server.client({
    timeoutMs: Number.POSITIVE_INFINITY,
    longestWaitMs: Number.POSITIVE_INFINITY,
    hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) },
  });
  const waiting = stave.readMe({ signal: controller.signal });
  while (delays.length === 0) await new Promise(setImmediate);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(server.received).toHaveLength(1);
  await stave.readMe();
});

it('limits the time of the function that gets a token', async () => {
  const server = await scriptedServer((_, response) => send(response, 200, {}));
  const stave = server.client({ getAccessToken: () => new Promise(() => {}), timeoutMs: 20 });
  await expect(stave.readMe()).rejects.toBeInstanceOf(StaveTimeoutError);
});

it('adds the wait of the feed to the time limit of the client', async () => {
  const server = await scriptedServer(() => {});
  const stave = server.client({ timeoutMs: 20, maxRetries: 0 });
  const failed = stave.followTrackChanges({ cursor: 'c', wait: 0 }).next();
  await expect(failed).rejects.toThrow('in 20 ms');
});

it('gives a list of details, whatever the error of a proxy has', async () => {
  const error = { message: 'Denied', details: null };
  const server = await scriptedServer((_, response) => {
    response.writeHead(403).end(JSON.stringify({ error }));
  });
  const expected = { type: 'unknown', message: 'Denied', details: [] };
  await expect(server.client().readMe()).rejects.toMatchObject(expected);
});

it('ignores what a hook rejects with', async () => {
  const server = await scriptedServer((_, response) => send(response, 200, {}));
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', record);
  onTestFinished(() => void process.off('unhandledRejection', record));
  await server.client({ hooks: { onResponse: () => Promise.reject(new Error('hook')) } }).readMe();
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});
