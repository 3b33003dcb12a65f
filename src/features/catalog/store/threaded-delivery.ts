import { Thread } from '../../../common/threads/thread.ts';
import type { WaitPolicy } from '../../../common/work/wait-policy.ts';
import type { StoreLocation } from '../../../engines/sql/setting-store.ts';
import type { AudioProperties } from '../audio-properties.ts';
import type { CreatedTrack, DeliveryCause, DeliverySession } from '../catalog-stores.ts';
import type { DeliveryOutcome, TrackDelivery } from '../track.ts';
import { type Seal, sealOf } from '../track-document.ts';
import type { HiddenChange } from '../track-edits.ts';

/** What the thread of a delivery session offers: its functions, and two that deliver texts. */
export interface DeliveryThread
  extends Omit<DeliverySession, 'deliver' | 'preview' | 'takeHidden'> {
  open(store: StoreLocation, cause: SentCause, waitMs: number): Promise<void>;
  deliver(sent: SentDeliveries): Promise<Delivered>;
  preview(sent: SentDeliveries): Promise<Delivered>;
}

interface SentCause extends Omit<DeliveryCause, 'onCreated'> {
  /** Whether deliveries return what they have created. */
  takesCreated: boolean;
}

/** The seals of deliveries. Texts are cloned and parsed several times as fast as objects are cloned. */
export interface SentDeliveries {
  texts: readonly string[];
  /** Of all deliveries, one after another. */
  fingerprints: Uint8Array;
  /** The properties of audio, and the sizes of artwork, by the place of the delivery. Seals do not contain them. */
  audio: ReadonlyMap<number, AudioProperties>;
  covers: ReadonlyMap<number, number>;
}

export interface Delivered {
  outcomes: DeliveryOutcome[];
  hidden: HiddenChange[];
  /** The created tracks, each a `PlacedTrack`, as a JSON array. */
  created: string;
}

/** A created track, with the place of its delivery in the batch instead of the delivery. */
export interface PlacedTrack extends Omit<CreatedTrack, 'delivery'> {
  at: number;
}

/** What the thread calls while it waits for the database. */
export interface DeliveryThreadStarter {
  waits(reason: string): void;
  continues(afterMs: number): void;
}

/**
 * Opens a delivery session in a thread with a connection of its own, so that the caller reads the next batch while one is
 * written. It pays for itself from some thousand tracks on: the start of the thread takes about 0.1 s.
 *
 * @param script the module of the thread
 */
export async function openDeliveryInThread(
  script: URL,
  { location, waitPolicy }: { location: StoreLocation; waitPolicy: WaitPolicy },
  { onCreated, ...cause }: DeliveryCause,
): Promise<DeliverySession> {
  const waits = waitPolicy.reports;
  const offer: DeliveryThreadStarter = { waits: waits.onWait, continues: waits.onContinue };
  const thread = new Thread<DeliveryThread>(script, { offer, name: 'stave import' });
  try {
    await thread.call(
      'open',
      location,
      { ...cause, takesCreated: onCreated !== undefined },
      waitPolicy.ms,
    );
  } catch (error) {
    await thread.terminate();
    throw error;
  }
  const { call } = thread;
  let hidden: HiddenChange[] = [];
  /** The last batch, whose created tracks are passed on while the thread writes the next one. */
  let last: { batch: readonly TrackDelivery[]; created: string } | undefined;
  const passOn = async () => {
    if (last === undefined) return;
    const { batch, created } = last;
    last = undefined;
    const tracks: PlacedTrack[] = JSON.parse(created);
    await onCreated!(tracks.map(({ at, ...chosen }) => ({ ...chosen, delivery: batch[at]! })));
  };
  const send = async (
    how: 'deliver' | 'preview',
    batch: readonly TrackDelivery[],
    seals: readonly Seal[] = batch.map(sealOf),
  ) => {
    const texts = seals.map(({ text }) => text);
    const fingerprints = Buffer.concat(seals.map(({ fingerprint }) => fingerprint));
    const audio = new Map<number, AudioProperties>();
    const covers = new Map<number, number>();
    for (const [i, { audioProperties, coverBytes }] of batch.entries()) {
      if (audioProperties !== undefined) audio.set(i, audioProperties);
      if (coverBytes !== undefined) covers.set(i, coverBytes);
    }
    const sent = { texts, fingerprints, audio, covers };
    const [delivered] = await Promise.all([call(how, sent), passOn()]);
    if (onCreated !== undefined) last = { batch, created: delivered.created };
    hidden.push(...delivered.hidden);
    return delivered.outcomes;
  };
  return {
    deliver: (batch, seals) => send('deliver', batch, seals),
    preview: (batch, seals) => send('preview', batch, seals),
    takeHidden() {
      const taken = hidden;
      hidden = [];
      return taken;
    },
    list: (ids) => call('list', ids),
    withdraw: (source, ids) => call('withdraw', source, ids),
    countWithdrawable: (source, ids) => call('countWithdrawable', source, ids),
    takenDown: (limit) => call('takenDown', limit),
    countAbsent: (source) => call('countAbsent', source),
    withdrawAbsent: (source) => call('withdrawAbsent', source),
    async close() {
      try {
        await Promise.all([call('close'), passOn()]);
      } finally {
        await thread.terminate();
      }
    },
  };
}
