import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  errorOf,
  PREVIEW_MEMBERS,
  type PreviewMember,
  TRACKS,
  usePreviewServer,
} from '../harness/preview-server.ts';

const started = usePreviewServer();
const MEMBERS = Object.keys(PREVIEW_MEMBERS) as PreviewMember[];
const KINDS = ['preview', 'waveform', 'waveform-dat'];

/** The paths and queries of a track's signed URLs, by member. */
let urls: Record<string, string>;
beforeAll(async () => {
  const { server, show, open, whileMaking } = started();
  await whileMaking(() => open(TRACKS.sounding, 'previewUrl'));
  const track = await show(TRACKS.sounding);
  urls = Object.fromEntries(
    ['streamUrl', ...MEMBERS].map((member) => [
      member,
      track[member]!.slice(server.address.length),
    ]),
  );
});

const statusOf = async (url: string) => (await started().server.http.send('GET', url)).status;

describe('a signature', () => {
  it('opens what it was made for, without a token', async () => {
    for (const url of Object.values(urls)) expect(await statusOf(url)).toBe(200);
  });

  it('opens nothing with the path, the kind or the signature of another URL', async () => {
    const { server } = started();
    let tried = 0;
    for (const [member, url] of Object.entries(urls)) {
      const { pathname, search } = new URL(url, server.address);
      const signature = url.slice(url.indexOf('&signature='));
      const kind = /&kind=[a-z-]+/.exec(url)?.[0] ?? '';
      const others = Object.entries(urls).filter(([other]) => other !== member);
      const changed = [
        url.replace(kind || '&signature', kind === '' ? '&kind=stream&signature' : ''),
        ...KINDS.map((other) => url.replace(`${kind}&signature`, `&kind=${other}&signature`)),
        ...others.flatMap(([, other]) => {
          const theirs = new URL(other, server.address);
          return [
            theirs.pathname + search,
            pathname + theirs.search,
            url.replace(signature, other.slice(other.indexOf('&signature='))),
          ];
        }),
        `${url}&kind=preview`,
        url.replace('mode=test', 'mode=live'),
      ].filter((one) => one !== url && !Object.values(urls).includes(one));
      for (const one of changed) {
        const response = await server.http.send('GET', one);
        expect(errorOf(response), one).toEqual([403, 'invalid_signature']);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(40);
  });

  it.each(MEMBERS)('opens nothing after a random mutation over the wire: %s', async (member) => {
    const url = urls[member]!;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: url.length - 1 }),
        fc.stringMatching(/^[!-"$-~]$/),
        async (at, character) => {
          const changed = url.slice(0, at) + character + url.slice(at + 1);
          // `/?…` is the address of the welcome page.
          fc.pre(changed !== url && !/^\/[?#]/.test(changed));
          expect([400, 403, 404]).toContain(await statusOf(changed));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not count against the rate limit', async () => {
    const { server } = started();
    const limited = await server.createClient({ rateLimit: 3, scopes: ['tracks'] });
    const token = await limited.token();
    for (const url of [...Object.values(urls), ...Object.values(urls)]) {
      const { status, headers } = await server.http.send('GET', url, {
        Authorization: `Bearer ${token}`,
      });
      expect(status).toBe(200);
      expect(headers['ratelimit-limit']).toBeUndefined();
    }
    const { headers } = await server.call('readMe', { token });
    expect(headers['ratelimit-remaining']).toBe('2');
  });
});
