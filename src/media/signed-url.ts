import { createHmac, timingSafeEqual } from 'node:crypto';
import { MODES, type Mode, type SigningKey } from '../access/client.ts';
import { StaveError } from '../kernel/errors.ts';
import { BLOCK_BYTES, BlockMac } from './block-mac.ts';
import { BASE64URL_LENGTH, readUuid, writeBase64url } from './block-text.ts';

/** How long a stream URL lives at least (specification, Limits). */
const STREAM_URL_SECONDS = 1800;

/** Times of issue are rounded up to this, so that equal answers may share their bytes (decisions §3). */
const ISSUE_STEP_SECONDS = 10;

/** What stands before the id of a track in the path of its stream. */
export const STREAM_PATH = '/media/stream/';
const SIGNATURE = '&signature=';
/** Characters of a signature. */
export const SIGNATURE_LENGTH = BASE64URL_LENGTH;
const SIGNED_FORM = new RegExp(
  `^${STREAM_PATH}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` +
    `(\\?expires=${STREAM_URL_SECONDS}&issued=([0-9]{1,12})` +
    `&client=([A-Za-z0-9._~%!'()*-]{1,200})&mode=(${MODES.join('|')}))$`,
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

/** Signs the URLs of a page: of many tracks, for one client, mode and time of issue. */
export interface UrlSigner {
  /** What follows the id, up to the signature; ASCII. */
  readonly query: string;
  /** When the URLs end, as ISO 8601 in UTC with milliseconds. */
  readonly expiresAt: string;
  /**
   * Writes the signatures of tracks as SIGNATURE_LENGTH ASCII bytes each, every one at its place in
   * the text. `trackIds` are blocks one after another, as `readUuid` writes them; they are changed.
   */
  sign(trackIds: Buffer, text: Uint8Array, places: readonly number[]): void;
}

/** A time of issue, the key that signs in it, and those who were signed for. */
export interface Period {
  readonly key: SigningKey;
  /** Seconds since the epoch. */
  readonly issued: number;
  /** By mode and client. */
  readonly signers: Readonly<Record<Mode, Map<string, UrlSigner>>>;
}

/**
 * Makes and checks the signed URLs that audio is streamed from (decisions §3, `streamUrl`).
 *
 * What the URLs of a page share, their query, is made into a key by HMAC-SHA-256; the signature is
 * the AES-CMAC of the track's id under it. So a page costs one pass of AES over its ids, 0.2 µs a
 * track, where an HMAC for each cost ten times that (docs/adr/0012).
 */
export class StreamUrls {
  readonly #keys: UrlKeys;
  #latest: Period | undefined;

  constructor({ keys }: { keys: UrlKeys }) {
    this.#keys = keys;
  }

  /** What all URLs that are issued now have in common: another object once that is another. */
  period(nowMs: number): Period {
    const key = this.#keys.signing('url');
    const issued = Math.ceil(nowMs / 1000 / ISSUE_STEP_SECONDS) * ISSUE_STEP_SECONDS;
    if (this.#latest?.key !== key || this.#latest.issued !== issued) {
      this.#latest = { key, issued, signers: { test: new Map(), live: new Map() } };
    }
    return this.#latest;
  }

  /** The signer for URLs that are issued now: one and the same object for as long as they are the same. */
  signer(clientId: string, mode: Mode, nowMs: number): UrlSigner {
    const { key, issued, signers } = this.period(nowMs);
    let signer = signers[mode].get(clientId);
    if (signer === undefined) {
      const query =
        `?expires=${STREAM_URL_SECONDS}&issued=${issued}` +
        `&client=${encodeURIComponent(clientId)}&mode=${mode}`;
      const mac = macOf(key, query);
      signer = {
        query: query + SIGNATURE,
        expiresAt: new Date((issued + STREAM_URL_SECONDS) * 1000).toISOString(),
        sign: (trackIds, text, places) => writeSignatures(mac.codes(trackIds), text, places),
      };
      signers[mode].set(clientId, signer);
    }
    return signer;
  }

  /** One URL's path and query. */
  sign(trackId: string, clientId: string, mode: Mode, nowMs: number): string {
    const signer = this.signer(clientId, mode, nowMs);
    const signature = Buffer.alloc(SIGNATURE_LENGTH);
    signer.sign(blockOf(trackId), signature, [0]);
    return STREAM_PATH + trackId + signer.query + signature.toString('latin1');
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
      !this.#isSigned(form[1]!, form[2]!, pathAndQuery.slice(-SIGNATURE_LENGTH))
    ) {
      throw new StaveError(
        'invalid_signature',
        'The URL is not the one that was signed; use streamUrl exactly as the API gave it.',
      );
    }
    const issuedAt = Number(form[3]) * 1000;
    const expiresAt = issuedAt + STREAM_URL_SECONDS * 1000;
    if (nowMs > expiresAt) {
      throw urlExpired();
    }
    return {
      trackId: form[1]!,
      clientId: decodeURIComponent(form[4]!),
      mode: form[5] as Mode,
      issuedAt,
      expiresAt,
    };
  }

  /** Compares as text, so that the spare bits of the last base64url character count too. */
  #isSigned(trackId: string, query: string, signature: string): boolean {
    const given = Buffer.from(signature, 'utf8');
    if (given.length !== SIGNATURE_LENGTH) {
      return false;
    }
    let matches = false;
    for (const key of this.#keys.verifying('url')) {
      const expected = Buffer.alloc(SIGNATURE_LENGTH);
      writeSignatures(macOf(key, query).codes(blockOf(trackId)), expected, [0]);
      matches = timingSafeEqual(given, expected) || matches;
    }
    return matches;
  }
}

/** The code for ids of tracks under a key that is good for this query alone; costs some 30 µs. */
function macOf(key: SigningKey, query: string): BlockMac {
  return new BlockMac(createHmac('sha256', key.secret).update(query).digest());
}

function blockOf(trackId: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  readUuid(Buffer.from(trackId, 'latin1'), 0, block, 0);
  return block;
}

function writeSignatures(codes: Uint8Array, text: Uint8Array, places: readonly number[]): void {
  for (let i = 0; i < places.length; i++) {
    writeBase64url(codes, i * BLOCK_BYTES, text, places[i]!);
  }
}

/** The URL is past its time, or its client was disabled: to the caller the two are one (decisions §3). */
export function urlExpired(): StaveError {
  return new StaveError(
    'url_expired',
    'The stream URL has expired; ask for the track again to get a new one.',
  );
}
