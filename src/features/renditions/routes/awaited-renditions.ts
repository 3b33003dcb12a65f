import { StaveError } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { CallerGone, unavailable } from '../../../engines/http/response/errors.ts';
import { noAudio, type SignedMedia, type SignedTrack } from '../../media/routes/signed-media.ts';
import type { RenditionOutcome, RenditionQueue } from '../rendition-queue.ts';
import type { RenditionKind } from '../rendition-store.ts';

/** How long a request waits for what is being made. */
const WAIT_MS = 10_000;
/** When a caller should ask again for what is still being made. */
const RETRY_SECONDS = 5;
/**
 * The most requests that wait on a node, for one client and in all. Further ones also put their rendition first, but
 * learn at once that they must retry.
 */
const MAX_OF_CLIENT = 100;
const MAX_IN_ALL = 400;

const NAMES: Readonly<Record<RenditionKind, string>> = {
  preview: 'preview clip',
  waveform: 'waveform',
  'waveform-dat': 'waveform',
};

/** The renditions of tracks, for requests that wait while one is being made. */
export class AwaitedRenditions {
  readonly #renditions: Pick<RenditionQueue, 'find' | 'ensure'>;
  readonly #open: OpenCounts;
  readonly #signed: Pick<SignedMedia, 'recheck'>;

  constructor(deps: {
    renditions: Pick<RenditionQueue, 'find' | 'ensure'>;
    /** Counts the waiting requests. */
    open: OpenCounts;
    signed: Pick<SignedMedia, 'recheck'>;
  }) {
    this.#renditions = deps.renditions;
    this.#open = deps.open;
    this.#signed = deps.signed;
  }

  /**
   * Returns the media key of a rendition. Throws `not_found` with the reason if there will be none, `unavailable` while
   * it is being made, and CallerGone if the caller does not wait.
   */
  async key(kind: RenditionKind, track: SignedTrack, gone: () => AbortSignal): Promise<string> {
    const { audio } = track;
    if (audio.audioKey === null) {
      throw noAudio();
    }
    const known = await this.#renditions.find(audio, kind);
    const outcome = known.state === 'pending' ? await this.#wait(kind, track, gone()) : known;
    if (outcome.state === 'failed') {
      throw new StaveError('not_found', `The track has no ${NAMES[kind]}: ${outcome.reason}.`);
    }
    if (outcome.state === 'pending') {
      throw unavailable(`The ${NAMES[kind]} is being made; try again.`, RETRY_SECONDS);
    }
    return outcome.file.mediaKey;
  }

  async #wait(
    kind: RenditionKind,
    track: SignedTrack,
    gone: AbortSignal,
  ): Promise<RenditionOutcome> {
    if (gone.aborted) throw new CallerGone();
    const ofClient = `rendition ${track.ticket.clientId}`;
    const inAll = 'rendition';
    const putFirst = () => this.#renditions.ensure(track.audio, kind, 0, gone);
    if (!this.#open.enter(ofClient, MAX_OF_CLIENT)) return putFirst();
    try {
      if (!this.#open.enter(inAll, MAX_IN_ALL)) return await putFirst();
      try {
        const outcome = await this.#renditions.ensure(track.audio, kind, WAIT_MS, gone);
        if (gone.aborted) throw new CallerGone();
        await this.#signed.recheck(track);
        return outcome;
      } finally {
        this.#open.leave(inAll);
      }
    } finally {
      this.#open.leave(ofClient);
    }
  }
}
