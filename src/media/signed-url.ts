import { timingSafeEqual } from 'node:crypto';
import { MODES, type Mode, type SigningKey } from '../access/client.ts';
import { StaveError } from '../kernel/errors.ts';
import { HmacSha256 } from './hmac-sha256.ts';

/** How long a stream URL lives at least (specification, Limits). */
const STREAM_URL_SECONDS = 1800;

/** Times of issue are rounded up to this, so that equal answers may share their bytes (decisions §3). */
const ISSUE_STEP_SECONDS = 10;

const PATH = '/media/stream/';
const ID_LENGTH = 36;
const SIGNATURE = '&signature=';
const SIGNATURE_LENGTH = 43;
const SIGNED_FORM = new RegExp(
  `^${PATH}([0-9a-f-]{${ID_LENGTH}})\\?expires=${STREAM_URL_SECONDS}&issued=([0-9]{1,12})` +
    `&client=([A-Za-z0-9._~%!'()*-]{1,200})&mode=(${MODES.join('|')})$`,
);

/** The keys for URLs: the newest signs, all of them verify. Read on each use, so that a rotation holds at once. */
export interface UrlKeys {
  signing(purpose: 'url'): SigningKey;
  verifying(purpose: 'url'): readonly SigningKey[];
}

/** What a good signature vouches for. */
export interface StreamTicket {
  trackId: string;
  clientId: string;
  mode: Mode;
  /** Milliseconds since the epoch, rounded up to the next 10 s. */
  issuedAt: number;
  /** Milliseconds since the epoch; the URL is good up to and including this moment. */
  expiresAt: number;
}

/** Signs the URLs of one page of tracks: same client, mode and time of issue. */
export interface StreamUrlPage {
  /** Path and query; under 1 µs. The id must be a lower-case UUID. */
  path(trackId: string): string;
  /** When the URLs end, as ISO 8601 in UTC with milliseconds. */
  readonly expiresAt: string;
}

/** Makes and checks the signed URLs that audio is streamed from (decisions §3, `streamUrl`). */
export class StreamUrls {
  readonly #keys: UrlKeys;
  readonly #hmacs = new WeakMap<SigningKey, HmacSha256>();

  constructor({ keys }: { keys: UrlKeys }) {
    this.#keys = keys;
  }

  forPage(clientId: string, mode: Mode, nowMs: number): StreamUrlPage {
    const stepMs = ISSUE_STEP_SECONDS * 1000;
    const issued = Math.ceil(nowMs / stepMs) * ISSUE_STEP_SECONDS;
    const query =
      `?expires=${STREAM_URL_SECONDS}&issued=${issued}` +
      `&client=${encodeURIComponent(clientId)}&mode=${mode}`;
    const tail = query + SIGNATURE;
    const sign = this.#hmac(this.#keys.signing('url')).template(PATH, ID_LENGTH, query);
    return {
      path: (trackId) => PATH + trackId + tail + sign(trackId),
      expiresAt: new Date((issued + STREAM_URL_SECONDS) * 1000).toISOString(),
    };
  }

  /** One URL; a page of them is cheaper through `forPage`. */
  sign(trackId: string, clientId: string, mode: Mode, nowMs: number): string {
    return this.forPage(clientId, mode, nowMs).path(trackId);
  }

  /**
   * What the URL vouches for. Throws invalid_signature unless path and query are, byte for byte, what
   * was signed, and only then url_expired, so that a forger learns nothing from the time.
   */
  verify(pathAndQuery: string, nowMs: number): StreamTicket {
    const signatureAt = pathAndQuery.length - SIGNATURE_LENGTH - SIGNATURE.length;
    const signed = pathAndQuery.slice(0, Math.max(0, signatureAt));
    const form = SIGNED_FORM.exec(signed);
    if (
      form === null ||
      !pathAndQuery.startsWith(SIGNATURE, signatureAt) ||
      !this.#isSigned(signed, pathAndQuery.slice(-SIGNATURE_LENGTH))
    ) {
      throw new StaveError(
        'invalid_signature',
        'The URL is not the one that was signed; use streamUrl exactly as the API gave it.',
      );
    }
    const issuedAt = Number(form[2]) * 1000;
    const expiresAt = issuedAt + STREAM_URL_SECONDS * 1000;
    if (nowMs > expiresAt) {
      throw urlExpired();
    }
    return {
      trackId: form[1]!,
      clientId: decodeURIComponent(form[3]!),
      mode: form[4] as Mode,
      issuedAt,
      expiresAt,
    };
  }

  /** Compares as text, so that the spare bits of the last base64url character count too. */
  #isSigned(signed: string, signature: string): boolean {
    const given = Buffer.from(signature, 'utf8');
    if (given.length !== SIGNATURE_LENGTH) {
      return false;
    }
    let matches = false;
    for (const key of this.#keys.verifying('url')) {
      const expected = Buffer.from(this.#hmac(key).of(signed), 'latin1');
      matches = timingSafeEqual(given, expected) || matches;
    }
    return matches;
  }

  #hmac(key: SigningKey): HmacSha256 {
    let hmac = this.#hmacs.get(key);
    if (hmac === undefined) {
      hmac = new HmacSha256(key.secret);
      this.#hmacs.set(key, hmac);
    }
    return hmac;
  }
}

/** The URL is past its time, or its client was disabled: to the caller the two are one (decisions §3). */
export function urlExpired(): StaveError {
  return new StaveError(
    'url_expired',
    'The stream URL has expired; ask for the track again to get a new one.',
  );
}
