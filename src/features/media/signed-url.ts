import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ClientMode, MODES, type Mode } from '../../common/caller.ts';
import { type NamedClient, StaveError } from '../../common/errors.ts';
import { AUDIO_EXTENSIONS } from '../../engines/blobs/content-types.ts';
import type { SigningKey } from '../access/client.ts';
import { BASE64URL_LENGTH, BLOCK_BYTES, BlockMac, readUuid, writeBase64url } from './block-mac.ts';

/** The lifetime of a signed URL (docs/contract/streaming.md#life-of-a-stream-url), plus up to ISSUE_STEP_SECONDS. */
const URL_SECONDS = 1800;

/** Times of issue are rounded up to a multiple of this, so that equal responses can share their bytes. */
const ISSUE_STEP_SECONDS = 10;

/**
 * The kinds of URLs: the member of a response, and the path before and after the id of the track, or of the part for
 * `part`. For `download`, it is the id of either. The path of audio to play ends in the extension of the file.
 */
export const URL_FORMS = {
  stream: { member: 'streamUrl', before: '/media/stream/', after: '', isAudio: true },
  preview: { member: 'previewUrl', before: '/media/preview/', after: '', isAudio: true },
  waveform: { member: 'waveformUrl', before: '/media/waveform/', after: '.json', isAudio: false },
  'waveform-dat': {
    ...{ member: 'waveformDataUrl', before: '/media/waveform/', after: '.dat', isAudio: false },
  },
  part: { member: 'url', before: '/media/part/', after: '', isAudio: true },
  archive: { member: 'archiveUrl', before: '/media/archive/', after: '', isAudio: false },
  download: { member: 'url', before: '/media/download/', after: '', isAudio: false },
} as const;

/** A signature is valid for one kind. */
export type UrlKind = keyof typeof URL_FORMS;

export const DOWNLOAD_FORMATS = ['original', 'wav', 'flac', 'mp3'] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

/** What a URL of the kind `download` says besides the id. */
export interface LicensedCopy {
  /** The number of the license. */
  license: string;
  format: DownloadFormat;
  /** From 2 on for a file whose name another one has; otherwise 1. */
  copy: number;
}

/** The kinds that guests of a link to a collection get. */
export type LinkedKind = Extract<UrlKind, 'stream' | 'preview' | 'waveform'>;

const URL_KINDS = Object.keys(URL_FORMS) as UrlKind[];
const SIGNATURE = '&signature=';
/** What a client may append to a signed URL, so that a browser saves the file. */
const DOWNLOAD = '&download';
export const SIGNATURE_LENGTH = BASE64URL_LENGTH;

/** The parameters of a LicensedCopy. */
const COPY_FORM = `&license=([0-9A-Z-]{1,60})&format=(${DOWNLOAD_FORMATS.join('|')})&copy=([1-9][0-9]{0,2})`;

const UUID_FORM = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The parameter of the URLs of guests: the id of their link. */
const LINK_FORM = `(?:&link=(${UUID_FORM}))?`;
const LINKED: readonly UrlKind[] = ['stream', 'preview', 'waveform'] satisfies LinkedKind[];

/** The path and the query of a URL without its signature. Before extensions were signed, audio had none. */
const SIGNED_FORMS = byKind((kind) => {
  const { before, after, isAudio } = URL_FORMS[kind];
  const extension = isAudio ? `(?:\\.(${AUDIO_EXTENSIONS.join('|')}))?` : '()';
  return new RegExp(
    `^${before}(${UUID_FORM})${after.replace('.', '\\.')}${extension}` +
      `(\\?expires=${URL_SECONDS}&issued=([0-9]{1,12})` +
      `&client=([A-Za-z0-9._~%!'()*-]{1,200})&mode=(${MODES.join('|')})${kindParameter(kind)}` +
      `${kind === 'download' ? COPY_FORM : LINKED.includes(kind) ? LINK_FORM : ''})$`,
  );
});

/**
 * The newest key signs, and all verify. The keys are read at each use, so that a rotation takes effect at once.
 */
export interface UrlKeys {
  signing(purpose: 'url'): SigningKey;
  verifying(purpose: 'url'): readonly SigningKey[];
}

/** The content of a valid signed URL. */
export interface UrlTicket {
  kind: UrlKind;
  /** As in URL_FORMS. */
  id: string;
  /** Of the kind `download` alone. */
  copy: LicensedCopy | undefined;
  /** The id of the link to a collection by which a guest got the URL. */
  linkId: string | undefined;
  clientId: string;
  mode: Mode;
  /** Whether `&download` was appended to the URL. */
  isDownload: boolean;
  /** In milliseconds since the epoch, rounded up to the next 10 s. */
  issuedAt: number;
  /** In milliseconds since the epoch. The URL is valid up to and including this moment. */
  expiresAt: number;
}

/** Signs the URLs of many tracks for one kind, client, mode and time of issue. */
export interface UrlSigner {
  /** The URL between the path and the signature; ASCII. */
  readonly query: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly expiresAt: string;
  /**
   * Writes the signatures of tracks into a text, as SIGNATURE_LENGTH ASCII bytes at a distance (default: 0) after each of
   * the places.
   */
  sign(tracks: SignedTracks, text: Uint8Array, places: readonly number[], distance?: number): void;
}

/** What the signatures of several URLs cover besides their query. */
interface SignedTracks {
  /** Consecutive blocks of `readUuid`. */
  trackIds: Uint8Array;
  /** In all URLs, or in each of them; '' for a URL without one. */
  extensions: string | readonly string[];
}

/** A time of issue with its signing key and signers. */
export interface Period {
  readonly key: SigningKey;
  /** In seconds since the epoch. */
  readonly issued: number;
  /** By kind, mode and client. */
  readonly signers: Readonly<Record<UrlKind, Readonly<Record<Mode, Map<string, UrlSigner>>>>>;
}

/**
 * Makes and verifies the signed URLs of media (docs/contract/streaming.md#stream-url).
 *
 * HMAC-SHA-256 derives a key from the query, which the URLs of one kind on a page share. The signature is the AES-CMAC
 * of a block with the extension and a block with the track's id under this key, or of the id alone for a URL without
 * extension. The first block is coded once, so a page costs one pass of AES over its ids for each kind. The query of
 * each kind but `stream` names it, so that a signature opens nothing else. The measurements are in
 * docs/adr/0012-stream-url-signatures.md.
 */
export class SignedUrls {
  readonly #keys: UrlKeys;
  #latest: Period | undefined;

  constructor({ keys }: { keys: UrlKeys }) {
    this.#keys = keys;
  }

  /** Returns another object whenever the key or the time of issue changes. */
  period(nowMs: number): Period {
    const key = this.#keys.signing('url');
    const issued = Math.ceil(nowMs / 1000 / ISSUE_STEP_SECONDS) * ISSUE_STEP_SECONDS;
    if (this.#latest?.key !== key || this.#latest.issued !== issued) {
      const signers = byKind(() => ({ test: new Map(), live: new Map() }));
      this.#latest = { key, issued, signers };
    }
    return this.#latest;
  }

  /** Returns the same object while the content of the URLs is the same. */
  signer(kind: UrlKind, clientId: string, mode: Mode, nowMs: number): UrlSigner {
    const { key, issued, signers } = this.period(nowMs);
    let signer = signers[kind][mode].get(clientId);
    if (signer === undefined) {
      signer = signerOf(key, issued, queryOf(kind, clientId, mode, issued));
      signers[kind][mode].set(clientId, signer);
    }
    return signer;
  }

  /**
   * Signs one URL for the id that URL_FORMS describes, and returns its path and query. One of the kind `download` needs
   * `signDownload`.
   *
   * @param extension one of AUDIO_EXTENSIONS; '' for a URL without one
   */
  sign(
    kind: UrlKind,
    id: string,
    clientId: string,
    mode: Mode,
    nowMs: number,
    extension = '',
  ): string {
    return signedUrl(kind, id, extension, this.signer(kind, clientId, mode, nowMs));
  }

  /**
   * Returns a function that signs URLs for a guest of a link, as `sign` does. Whether the link still permits them is
   * checked when they are used.
   */
  linkedSigner(
    kind: LinkedKind,
    { clientId, mode }: ClientMode,
    linkId: string,
    nowMs: number,
  ): (id: string, extension?: string) => string {
    const { key, issued } = this.period(nowMs);
    const signer = signerOf(key, issued, `${queryOf(kind, clientId, mode, issued)}&link=${linkId}`);
    return (id, extension = '') => signedUrl(kind, id, extension, signer);
  }

  /** Signs the URL of a file of a license, for the id of a track or of a part. */
  signDownload(
    id: string,
    { license, format, copy }: LicensedCopy,
    { clientId, mode }: ClientMode,
    nowMs: number,
  ): { url: string; expiresAt: string } {
    const { key, issued } = this.period(nowMs);
    const query = queryOf('download', clientId, mode, issued);
    const parameters = `&license=${license}&format=${format}&copy=${copy}`;
    const signer = signerOf(key, issued, query + parameters);
    return { url: signedUrl('download', id, '', signer), expiresAt: signer.expiresAt };
  }

  /**
   * Verifies a URL of a kind. Throws invalid_signature unless path and query are exactly the bytes that were signed, with
   * or without `&download` at the end, and only then url_expired, so that a forger learns nothing from the expiry.
   */
  verify(kind: UrlKind, url: string, nowMs: number): UrlTicket {
    const isDownload = url.endsWith(DOWNLOAD);
    const pathAndQuery = isDownload ? url.slice(0, -DOWNLOAD.length) : url;
    const signatureAt = pathAndQuery.length - SIGNATURE_LENGTH - SIGNATURE.length;
    const signed = pathAndQuery.slice(0, Math.max(0, signatureAt));
    const form = SIGNED_FORMS[kind].exec(signed);
    if (
      form === null ||
      !pathAndQuery.startsWith(SIGNATURE, signatureAt) ||
      !this.#isSigned(form, pathAndQuery.slice(-SIGNATURE_LENGTH))
    ) {
      throw new StaveError(
        'invalid_signature',
        `The URL is not the one that was signed; use ${URL_FORMS[kind].member} exactly as the API gave it.`,
      );
    }
    const issuedAt = Number(form[4]) * 1000;
    const expiresAt = issuedAt + URL_SECONDS * 1000;
    const clientId = decodeURIComponent(form[5]!);
    if (nowMs > expiresAt) throw urlExpired(kind, { clientId });
    return {
      kind,
      id: form[1]!,
      copy: kind === 'download' ? copyOf(form) : undefined,
      linkId: LINKED.includes(kind) ? form[7] : undefined,
      clientId,
      mode: form[6] as Mode,
      isDownload,
      issuedAt,
      expiresAt,
    };
  }

  /** Compares as text, so that the unused bits of the last base64url character count, too. */
  #isSigned([, id, extension = '', query]: readonly string[], signature: string): boolean {
    const given = Buffer.from(signature, 'utf8');
    if (given.length !== SIGNATURE_LENGTH) return false;
    let matches = false;
    for (const key of this.#keys.verifying('url')) {
      const expected = Buffer.alloc(SIGNATURE_LENGTH);
      const tracks = { trackIds: blockOf(id!), extensions: extension };
      writeSignatures(macOf(key, query!).codes(tracks), expected, [0], 0);
      matches = timingSafeEqual(given, expected) || matches;
    }
    return matches;
  }
}

/** The parameter that names the kind. URLs of streams are older than the other kinds, and have none. */
function kindParameter(kind: UrlKind): string {
  return kind === 'stream' ? '' : `&kind=${kind}`;
}

function queryOf(kind: UrlKind, clientId: string, mode: Mode, issued: number): string {
  return (
    `?expires=${URL_SECONDS}&issued=${issued}` +
    `&client=${encodeURIComponent(clientId)}&mode=${mode}${kindParameter(kind)}`
  );
}

function signerOf(key: SigningKey, issued: number, query: string): UrlSigner {
  const mac = macOf(key, query);
  return {
    query: query + SIGNATURE,
    expiresAt: new Date((issued + URL_SECONDS) * 1000).toISOString(),
    sign: (tracks, text, places, distance = 0) =>
      writeSignatures(mac.codes(tracks), text, places, distance),
  };
}

function signedUrl(kind: UrlKind, id: string, extension: string, signer: UrlSigner): string {
  const signature = Buffer.alloc(SIGNATURE_LENGTH);
  signer.sign({ trackIds: blockOf(id), extensions: extension }, signature, [0]);
  return signedPath(kind, id, extension) + signer.query + signature.toString('latin1');
}

/** Reads the parameters of COPY_FORM. */
function copyOf(form: RegExpExecArray): LicensedCopy {
  return { license: form[7]!, format: form[8] as DownloadFormat, copy: Number(form[9]) };
}

function byKind<T>(make: (kind: UrlKind) => T): Record<UrlKind, T> {
  return Object.fromEntries(URL_KINDS.map((kind) => [kind, make(kind)])) as Record<UrlKind, T>;
}

/** The path of a URL of the kind. */
export function signedPath(kind: UrlKind, id: string, extension: string): string {
  const { before, after } = URL_FORMS[kind];
  return before + id + after + (extension && `.${extension}`);
}

/** Codes the tracks of URLs with a query, under the key that is derived from it. */
function macOf(key: SigningKey, query: string): { codes(tracks: SignedTracks): Buffer } {
  const mac = new BlockMac(createHmac('sha256', key.secret).update(query).digest());
  const masks = new Map([['', mac.oneBlock]]);
  const makeMask = (extension: string) => {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.write(extension, 'latin1');
    const mask = mac.after(block);
    masks.set(extension, mask);
    return mask;
  };
  const maskOf = (extension: string) => masks.get(extension) ?? makeMask(extension);
  return {
    codes: ({ trackIds, extensions }) =>
      mac.codes(
        trackIds,
        typeof extensions === 'string' ? maskOf(extensions) : extensions.map(maskOf),
      ),
  };
}

function blockOf(trackId: string): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  readUuid(Buffer.from(trackId, 'latin1'), 0, block, 0);
  return block;
}

function writeSignatures(
  codes: Uint8Array,
  text: Uint8Array,
  places: readonly number[],
  distance: number,
): void {
  for (let i = 0; i < places.length; i++) {
    writeBase64url(codes, i * BLOCK_BYTES, text, places[i]! + distance);
  }
}

/**
 * The error for a URL that has expired or whose client was disabled. Callers cannot distinguish the two
 * (docs/contract/streaming.md#stream-errors).
 */
export function urlExpired(kind: UrlKind, client: NamedClient): StaveError {
  return new StaveError(
    'url_expired',
    `The URL has expired; ask for the track again to get a new ${URL_FORMS[kind].member}.`,
    { client },
  );
}
