import type { Caller } from '../../access/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { SpareBuffer, type TakenBytes } from '../../common/spare-buffer.ts';
import type { IssueTo } from '../../http/route.ts';
import type { SignedUrls, UrlSigner } from '../../media/signed-url.ts';
import { LentEnvelope, ownCopy } from './lent-envelope.ts';
import { UrlSuffix } from './url-suffix.ts';

/** An envelope with signed URLs. */
export interface SignedEnvelope {
  envelope: Buffer;
  share(): IssueTo;
  release(): void;
}

/** The URLs in an envelope: where their signatures are, and the ids of their tracks, as `UrlSigner.sign` takes them. */
export interface UrlPlaces {
  places: readonly number[];
  trackIds: Buffer;
}

/**
 * Signs the URLs of tracks in envelopes, and issues a shared envelope again to other callers. The memory of an
 * envelope that was released is used again.
 */
export class UrlIssuer {
  readonly #urls: SignedUrls;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;
  readonly #suffixes = new WeakMap<UrlSigner, UrlSuffix>();
  readonly #spare = new SpareBuffer();

  /**
   * @param needs.publicUrl the base of the service's own URLs, without a trailing slash; constant once the server
   * listens.
   */
  constructor(needs: { urls: SignedUrls; clock: Clock; publicUrl: () => string }) {
    this.#urls = needs.urls;
    this.#clock = needs.clock;
    this.#publicUrl = needs.publicUrl;
  }

  /** Returns the suffix that writes the URLs of a caller that are issued now. */
  suffixFor({ clientId, mode }: Caller): UrlSuffix {
    const signer = this.#urls.signer('stream', clientId, mode, this.#clock.now());
    let suffix = this.#suffixes.get(signer);
    if (suffix === undefined) {
      suffix = new UrlSuffix(this.#publicUrl(), signer);
      this.#suffixes.set(signer, suffix);
    }
    return suffix;
  }

  /** Returns memory for an envelope. */
  take(sizeBytes: number): TakenBytes {
    return this.#spare.take(sizeBytes);
  }

  /** Writes the signatures into an envelope, whose URLs the suffix wrote, and returns it. */
  sign(
    { bytes, release }: TakenBytes,
    { signer, queryLength }: UrlSuffix,
    { trackIds, places }: UrlPlaces,
  ): SignedEnvelope {
    signer.sign(trackIds, bytes, places);
    const { issue } = signer;
    return {
      envelope: bytes,
      share: () => this.#reissuing(new LentEnvelope(ownCopy(bytes), issue), queryLength, places),
      release,
    };
  }

  /**
   * Returns a function that writes other URLs into the envelope: in place, or into a copy, which takes its place,
   * while a response still needs the bytes. What the function holds stays in memory with a cached response: one
   * envelope, and no signer.
   *
   * @param queryLength of the suffix that wrote the URLs.
   */
  #reissuing(envelope: LentEnvelope, queryLength: number, places: readonly number[]): IssueTo {
    let held = envelope;
    return (caller) => {
      const suffix = this.suffixFor(caller);
      const { signer } = suffix;
      if (signer.issue !== held.issue) {
        if (suffix.queryLength !== queryLength) {
          return undefined;
        }
        const bytes = held.writableBytes();
        signer.sign(suffix.overwrite(bytes, places), bytes, places);
        held = new LentEnvelope(bytes, signer.issue);
      }
      return held.lend();
    };
  }
}
