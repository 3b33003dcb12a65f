import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import { AUDIO_EXTENSIONS } from '../../engines/blobs/content-types.ts';
import type { SigningKey } from '../access/client.ts';
import { BlockMac } from './block-mac.ts';
import { SIGNATURE_LENGTH, SignedUrls, signedPath, URL_FORMS, type UrlKind } from './signed-url.ts';

const NOW = Date.parse('2026-11-21T12:00:03.500Z');
const ISSUED = Date.parse('2026-11-21T12:00:10Z');
const TRACK = 'f0e1d2c3-b4a5-4697-8877-665544332211';
const CLIENT = '0a1b2c3d-4e5f-4061-9283-a4b5c6d7e8f9';

function urlKey(): SigningKey {
  return { id: newId(), purpose: 'url', secret: randomBytes(32), createdAt: 0, retiredAt: null };
}

function urlsWith(...keys: [SigningKey, ...SigningKey[]]): SignedUrls {
  return new SignedUrls({ keys: { signing: () => keys[0], verifying: () => keys } });
}

/** Computes the signature of docs/adr/0012 with plain calls. */
function signatureOf(key: SigningKey, trackId: string, query: string, extension = ''): string {
  const mac = new BlockMac(createHmac('sha256', key.secret).update(query).digest());
  const id = Buffer.from(trackId.replaceAll('-', ''), 'hex');
  const first = Buffer.from(extension.padEnd(16, '\0'));
  const mask = extension === '' ? mac.oneBlock : mac.after(first);
  return mac.codes(id, mask).toString('base64url');
}

function kindOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    return error instanceof StaveError ? error.kind : String(error);
  }
  return 'accepted';
}

const KINDS = Object.keys(URL_FORMS) as UrlKind[];
const AUDIO_KINDS = KINDS.filter((kind) => URL_FORMS[kind].isAudio);
const COPY = { license: '2026-000123-7K2QX9MD', format: 'original', copy: 1 } as const;

function signedAs(
  kind: UrlKind,
  urls: SignedUrls,
  {
    id = TRACK,
    clientId = CLIENT,
    mode = 'live',
    extension = '',
  }: { id?: string; clientId?: string; mode?: Mode; extension?: string } = {},
): string {
  return kind === 'download'
    ? urls.signDownload(id, COPY, { clientId, mode }, NOW).url
    : urls.sign(kind, id, clientId, mode, NOW, extension);
}

/** The parameters that only a kind has. */
function parametersOf(kind: UrlKind): string {
  const copy = '&license=2026-000123-7K2QX9MD&format=original&copy=1';
  return kind === 'stream' ? '' : `&kind=${kind}${kind === 'download' ? copy : ''}`;
}

describe('SignedUrls.sign', () => {
  it('writes the expiry, the time of issue, the client, the mode and their signature', () => {
    const key = urlKey();
    const query = `?expires=1800&issued=${ISSUED / 1000}&client=${CLIENT}&mode=live`;
    expect(urlsWith(key).sign('stream', TRACK, CLIENT, 'live', NOW)).toBe(
      `/media/stream/${TRACK}${query}&signature=${signatureOf(key, TRACK, query)}`,
    );
  });

  it.each(KINDS.slice(1))('names the kind %s in the query', (kind) => {
    const key = urlKey();
    const { before, after } = URL_FORMS[kind];
    const own = parametersOf(kind);
    const query = `?expires=1800&issued=${ISSUED / 1000}&client=${CLIENT}&mode=live${own}`;
    const signed = `${before}${TRACK}${after}${query}`;
    const url = `${signed}&signature=${signatureOf(key, TRACK, query)}`;
    expect(signedAs(kind, urlsWith(key))).toBe(url);
  });

  it.each(AUDIO_KINDS)('ends the path of the kind %s in the extension', (kind) => {
    const key = urlKey();
    const parameter = kind === 'stream' ? '' : `&kind=${kind}`;
    const query = `?expires=1800&issued=${ISSUED / 1000}&client=${CLIENT}&mode=live${parameter}`;
    const signature = signatureOf(key, TRACK, query, 'flac');
    expect(urlsWith(key).sign(kind, TRACK, CLIENT, 'live', NOW, 'flac')).toBe(
      `${URL_FORMS[kind].before}${TRACK}.flac${query}&signature=${signature}`,
    );
  });

  it('rounds the time of issue up to 10 s, so that equal requests in this time have equal URLs', () => {
    const urls = urlsWith(urlKey());
    const at = (ms: number) => urls.sign('stream', TRACK, CLIENT, 'test', ms);
    expect(at(ISSUED - 9_999)).toBe(at(ISSUED));
    expect(at(ISSUED + 1)).not.toBe(at(ISSUED));
  });

  it('returns the same URL after it signed for other clients', () => {
    const urls = urlsWith(urlKey());
    const signed = urls.sign('stream', TRACK, 'a', 'live', NOW);
    urls.sign('stream', TRACK, 'b', 'test', NOW);
    expect(urls.sign('stream', TRACK, 'a', 'live', NOW)).toBe(signed);
    expect(urls.verify('stream', signed, NOW).clientId).toBe('a');
  });
});

describe('SignedUrls.verify', () => {
  it('accepts exactly `&download` at the end', () => {
    const urls = urlsWith(urlKey());
    const url = urls.sign('stream', TRACK, CLIENT, 'live', NOW);
    expect(urls.verify('stream', url, NOW).isDownload).toBe(false);
    expect(urls.verify('stream', `${url}&download`, NOW).isDownload).toBe(true);
    for (const changed of [
      `${url}&download=`,
      `${url}&download=1`,
      `${url}&Download`,
      `${url}?download`,
      `${url}&download&download`,
      `${url}&`,
      url.replace('&signature', '&download&signature'),
      url.replace('?', '?download&'),
    ]) {
      expect(kindOf(() => urls.verify('stream', changed, NOW))).toBe('invalid_signature');
    }
  });
});

describe('SignedUrls.signer', () => {
  it('signs the URLs of a page like single URLs', () => {
    const urls = urlsWith(urlKey());
    const ids = Array.from({ length: 20 }, newId);
    const extensions = ids.map((_, i) => ['', 'mp3', 'wav'][i % 3]!);
    const signer = urls.signer('stream', CLIENT, 'live', NOW);
    const text = Buffer.alloc(ids.length * SIGNATURE_LENGTH);
    const places = ids.map((_, i) => i * SIGNATURE_LENGTH);
    const trackIds = Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
    signer.sign({ trackIds, extensions }, text, places);
    ids.forEach((id, i) => {
      const signature = text.toString('latin1', places[i], places[i]! + SIGNATURE_LENGTH);
      expect(signedPath('stream', id, extensions[i]!) + signer.query + signature).toBe(
        urls.sign('stream', id, CLIENT, 'live', NOW, extensions[i]),
      );
    });
    expect(signer.expiresAt).toBe('2026-11-21T12:30:10.000Z');
  });

  it('is the same until the next time of issue, for one client, mode and key', () => {
    const urls = urlsWith(urlKey());
    const signer = urls.signer('stream', CLIENT, 'live', ISSUED - 9_999);
    expect(urls.signer('stream', CLIENT, 'live', ISSUED)).toBe(signer);
    expect(urls.signer('stream', CLIENT, 'live', ISSUED + 1)).not.toBe(signer);
    expect(urls.signer('stream', CLIENT, 'test', ISSUED)).not.toBe(signer);
    expect(urls.signer('stream', TRACK, 'live', ISSUED)).not.toBe(signer);
  });

  it('signs with the new key immediately after a rotation', () => {
    const [old, current] = [urlKey(), urlKey()];
    let signing = old;
    const urls = new SignedUrls({ keys: { signing: () => signing, verifying: () => [current] } });
    expect(
      kindOf(() => urls.verify('stream', urls.sign('stream', TRACK, CLIENT, 'live', NOW), NOW)),
    ).toBe('invalid_signature');
    signing = current;
    expect(
      kindOf(() => urls.verify('stream', urls.sign('stream', TRACK, CLIENT, 'live', NOW), NOW)),
    ).toBe('accepted');
  });
});

describe('SignedUrls.period', () => {
  it('is the same as long as the URLs are, for every client', () => {
    const [old, current] = [urlKey(), urlKey()];
    let signing = old;
    const urls = new SignedUrls({ keys: { signing: () => signing, verifying: () => [] } });
    const period = urls.period(ISSUED - 9_999);
    expect(urls.period(ISSUED)).toBe(period);
    const next = urls.period(ISSUED + 1);
    expect(next).not.toBe(period);
    signing = current;
    expect(urls.period(ISSUED + 1)).not.toBe(next);
  });
});

describe('SignedUrls.verify', () => {
  it('accepts every signed URL, for any client id', () => {
    const urls = urlsWith(urlKey());
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }),
        fc.constantFrom('test' as const, 'live' as const),
        fc.constantFrom(...KINDS),
        (id, clientId, mode, kind) => {
          const url = signedAs(kind, urls, { id, clientId, mode });
          expect(urls.verify(kind, url, NOW)).toEqual({
            kind,
            id,
            clientId,
            mode,
            isDownload: false,
            copy: kind === 'download' ? COPY : undefined,
            issuedAt: ISSUED,
            expiresAt: ISSUED + 1800_000,
          });
        },
      ),
    );
  });

  it.each(AUDIO_KINDS)('accepts exactly the extension of a URL of the kind %s', (kind) => {
    const urls = urlsWith(urlKey());
    const sign = (extension: string) => urls.sign(kind, TRACK, CLIENT, 'live', NOW, extension);
    const verdict = (url: string) => kindOf(() => urls.verify(kind, url, NOW));
    for (const extension of ['', ...AUDIO_EXTENSIONS]) {
      const url = sign(extension);
      expect(verdict(url)).toBe('accepted');
      expect(verdict(`${url}&download`)).toBe('accepted');
      for (const other of ['', '.', '.MP3', '.json', '.mp3.mp3', '.exe', '%2emp3', '.mp%33']) {
        expect(verdict(url.replace(/(\.\w+)?\?/, `${other}?`))).toBe(
          other === extension ? 'accepted' : 'invalid_signature',
        );
      }
      for (const other of AUDIO_EXTENSIONS.filter((one) => one !== extension)) {
        expect(verdict(url.replace(/(\.\w+)?\?/, `.${other}?`))).toBe('invalid_signature');
      }
    }
    // No text of another extension, even with the right signature.
    expect(verdict(sign('exe'))).toBe('invalid_signature');
  });

  it.each(KINDS.filter((kind) => !URL_FORMS[kind].isAudio))(
    'refuses an extension of audio for %s',
    (kind) => {
      const urls = urlsWith(urlKey());
      const url = signedAs(kind, urls, { extension: 'mp3' });
      const verdict = (one: string) => kindOf(() => urls.verify(kind, one, NOW));
      expect(verdict(url.includes('.mp3?') ? url : url.replace('?', '.mp3?'))).toBe(
        'invalid_signature',
      );
    },
  );

  it('accepts a URL until 1800 s after its issue, and reports it as expired one millisecond later', () => {
    const urls = urlsWith(urlKey());
    const url = urls.sign('stream', TRACK, CLIENT, 'live', NOW);
    const end = ISSUED + 1800_000;
    expect(kindOf(() => urls.verify('stream', url, NOW + 1799_000))).toBe('accepted');
    expect(kindOf(() => urls.verify('stream', url, end))).toBe('accepted');
    expect(kindOf(() => urls.verify('stream', url, end + 1))).toBe('url_expired');
  });

  it('does not report a forged URL as expired', () => {
    const urls = urlsWith(urlKey());
    const forged = urls
      .sign('stream', TRACK, CLIENT, 'live', NOW)
      .replace('mode=live', 'mode=test');
    expect(kindOf(() => urls.verify('stream', forged, NOW + 10_000_000))).toBe('invalid_signature');
  });

  it('accepts the keys that still verify, and no others', () => {
    const [old, current, foreign] = [urlKey(), urlKey(), urlKey()];
    const url = urlsWith(old).sign('stream', TRACK, CLIENT, 'live', NOW);
    expect(kindOf(() => urlsWith(current, old).verify('stream', url, NOW))).toBe('accepted');
    expect(kindOf(() => urlsWith(current).verify('stream', url, NOW))).toBe('invalid_signature');
    const stranger = urlsWith(foreign).sign('stream', TRACK, CLIENT, 'live', NOW);
    expect(kindOf(() => urlsWith(current, old).verify('stream', stranger, NOW))).toBe(
      'invalid_signature',
    );
  });

  it('refuses another lifetime, even with a valid signature', () => {
    const key = urlKey();
    const query = `?expires=604800&issued=${ISSUED / 1000}&client=${CLIENT}&mode=live`;
    const url = `/media/stream/${TRACK}${query}&signature=${signatureOf(key, TRACK, query)}`;
    expect(kindOf(() => urlsWith(key).verify('stream', url, NOW))).toBe('invalid_signature');
  });

  it.each([
    ['a parameter added at the beginning', (url: string) => url.replace('?', '?a=1&')],
    ['a parameter added at the end', (url: string) => `${url}&a=1`],
    ['a missing parameter', (url: string) => url.replace('&mode=live', '')],
    ['a parameter repeated', (url: string) => `${url}&expires=1800`],
    ['the signature repeated', (url: string) => url + url.slice(url.indexOf('&signature'))],
    [
      'parameters in another order',
      (url: string) => url.replace(/(&client=[^&]+)(&mode=live)/, '$2$1'),
    ],
    ['a byte encoded', (url: string) => url.replace('mode=live', 'mode=%6Cive')],
    ['the id in upper case', (url: string) => url.replace(TRACK, TRACK.toUpperCase())],
    ['an encoded slash in the path', (url: string) => url.replace('/stream/', '/stream%2f')],
    ['a fragment', (url: string) => `${url}#t=10`],
    ['padding after the signature', (url: string) => `${url}=`],
    ['no signature', (url: string) => url.slice(0, url.indexOf('&signature'))],
    ['an empty signature', (url: string) => url.slice(0, url.indexOf('&signature') + 11)],
    ['a letter outside ASCII', (url: string) => `${url.slice(0, -1)}é`],
    ['an empty URL', () => ''],
  ])('refuses %s', (_, change) => {
    const urls = urlsWith(urlKey());
    const changed = change(urls.sign('stream', TRACK, CLIENT, 'live', NOW));
    expect(kindOf(() => urls.verify('stream', changed, NOW))).toBe('invalid_signature');
  });

  describe.each(KINDS)('of a URL of the kind %s', (kind) => {
    const urls = urlsWith(urlKey());
    const url = signedAs(kind, urls);
    const others = KINDS.filter((other) => other !== kind);

    it.each(others)('refuses it as %s', (other) => {
      expect(kindOf(() => urls.verify(other, url, NOW))).toBe('invalid_signature');
    });

    it.each(others)('refuses it with the path, the parameter, or both of %s', (other) => {
      const [own, theirs] = [kind, other].map((one) => ({
        path: (id: string) => URL_FORMS[one].before + id + URL_FORMS[one].after,
        parameter: parametersOf(one),
      }));
      const withPath = url.replace(own!.path(TRACK), theirs!.path(TRACK));
      const withParameter = (text: string) =>
        text.replace(`${own!.parameter}&signature`, `${theirs!.parameter}&signature`);
      for (const changed of [withPath, withParameter(url), withParameter(withPath)]) {
        expect(changed).not.toBe(url);
        for (const one of KINDS) {
          expect(kindOf(() => urls.verify(one, changed, NOW))).toBe('invalid_signature');
        }
      }
    });
  });

  it.each(KINDS)('accepts none of 10,000 random mutations of a URL of the kind %s', (kind) => {
    const urls = urlsWith(urlKey());
    const extension = URL_FORMS[kind].isAudio ? 'mp3' : '';
    const url = signedAs(kind, urls, { extension });
    const position = fc.nat({ max: url.length - 1 });
    const text = fc.oneof(
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 3 }),
      fc.constantFrom('&', '=', '%2F', '&mode=test', 'expires=1800', '..', '\0', 'A', '_', '-'),
    );
    const mutation = fc.oneof(
      fc.tuple(position, text).map(([at, put]) => url.slice(0, at) + put + url.slice(at + 1)),
      fc.tuple(position, text).map(([at, put]) => url.slice(0, at) + put + url.slice(at)),
      fc
        .tuple(position, position)
        .map(([a, b]) => url.slice(0, Math.min(a, b)) + url.slice(Math.max(a, b) + 1)),
      fc.tuple(position, position).map(([a, b]) => {
        const characters = [...url];
        [characters[a], characters[b]] = [characters[b]!, characters[a]!];
        return characters.join('');
      }),
      position.map((at) => {
        const letter = url[at]!;
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        return url.slice(0, at) + other + url.slice(at + 1);
      }),
      fc.tuple(position, fc.nat({ max: 7 })).map(([at, bit]) => {
        const flipped = String.fromCharCode(url.charCodeAt(at) ^ (1 << bit));
        return url.slice(0, at) + flipped + url.slice(at + 1);
      }),
    );
    fc.assert(
      fc.property(
        mutation.filter((changed) => changed !== url),
        (changed) => {
          expect(kindOf(() => urls.verify(kind, changed, NOW))).toBe('invalid_signature');
        },
      ),
      { numRuns: 10_000 },
    );
  });
});
