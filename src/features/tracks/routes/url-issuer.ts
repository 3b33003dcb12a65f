import { type Caller, seesPreviews } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { SpareBuffer, type TakenBytes } from '../../../common/memory/caches.ts';
import type { IssueTo } from '../../../engines/http/route/route.ts';
import type { SignedUrls, UrlSigner } from '../../media/signed-url.ts';
import { LentEnvelope, ownCopy } from './lent-envelope.ts';
import { PREVIEW_KINDS, UrlSuffix } from './url-suffix.ts';

/** An envelope with signed URLs. */
export interface SignedEnvelope {
  envelope: Buffer;
  share(): IssueTo;
  release(): void;
}

/**
 * The URLs in an envelope: where the first signature of each track is, and the ids of the tracks, as `UrlSigner.sign`
 * takes them.
 */
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
  /** By the signer of the stream URLs: without previews, and with them. */
  readonly #suffixes = [new WeakMap<UrlSigner, UrlSuffix>(), new WeakMap<UrlSigner, UrlSuffix>()];
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
  suffixFor(caller: Caller): UrlSuffix {
    const { clientId, mode } = caller;
    const now = this.#clock.now();
    const hasPreviews = seesPreviews(caller);
    const stream = this.#urls.signer('stream', clientId, mode, now);
    const suffixes = this.#suffixes[hasPreviews ? 1 : 0]!;
    let suffix = suffixes.get(stream);
    if (suffix === undefined) {
      const kinds = hasPreviews ? PREVIEW_KINDS : [];
      const previews = kinds.map((kind) => this.#urls.signer(kind, clientId, mode, now));
      suffix = new UrlSuffix(this.#publicUrl(), { stream, previews });
      suffixes.set(stream, suffix);
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
    suffix: UrlSuffix,
    { trackIds, places }: UrlPlaces,
  ): SignedEnvelope {
    suffix.sign(trackIds, bytes, places);
    const { issue, layout } = suffix;
    return {
      envelope: bytes,
      share: () => this.#reissuing(new LentEnvelope(ownCopy(bytes), issue), layout, places),
      release,
    };
  }

  /**
   * Returns a function that writes other URLs into the envelope: in place, or into a copy, which takes its place,
   * while a response still needs the bytes. What the function holds stays in memory with a cached response: one
   * envelope, and no signer.
   *
   * @param layout of the suffix that wrote the URLs.
   */
  #reissuing(envelope: LentEnvelope, layout: string, places: readonly number[]): IssueTo {
    let held = envelope;
    return (caller) => {
      const suffix = this.suffixFor(caller);
      if (suffix.issue !== held.issue) {
        if (suffix.layout !== layout) {
          return undefined;
        }
        const bytes = held.writableBytes();
        suffix.overwrite(bytes, places);
        held = new LentEnvelope(bytes, suffix.issue);
      }
      return held.lend();
    };
  }
}
