/** The thread of a delivery session, with its own connection to the store. */
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { asBuffer, offerToStarter } from '../../common/threads/calls.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import type { CreatedTrack, DeliverySession } from '../../features/catalog/catalog-stores.ts';
import type {
  Delivered,
  DeliveryThread,
  DeliveryThreadStarter,
  PlacedTrack,
  SentDeliveries,
} from '../../features/catalog/store/threaded-delivery.ts';
import type { TrackDelivery } from '../../features/catalog/track.ts';
import { FINGERPRINT_BYTES, parseDelivery } from '../../features/catalog/track-document.ts';
import type { Store } from '../../features/store.ts';
import { openStore } from './open-store.ts';

let store: Store;
let session: DeliverySession;
let created: CreatedTrack[] = [];

async function send(how: 'deliver' | 'preview', sent: SentDeliveries): Promise<Delivered> {
  const { texts } = sent;
  const fingerprints = asBuffer(sent.fingerprints);
  const seals = texts.map((text, i) => {
    const at = i * FINGERPRINT_BYTES;
    return { text, fingerprint: fingerprints.subarray(at, at + FINGERPRINT_BYTES) };
  });
  const deliveries = texts.map(parseDelivery);
  for (const [i, properties] of sent.audio) deliveries[i]!.audioProperties = properties;
  for (const [i, bytes] of sent.covers) deliveries[i]!.coverBytes = bytes;
  created = [];
  const outcomes = await session[how](deliveries, seals);
  return { outcomes, hidden: session.takeHidden(), created: placed(created, deliveries) };
}

/** Returns created tracks as a text, with the places of their deliveries instead of these. */
function placed(tracks: readonly CreatedTrack[], among: readonly TrackDelivery[]): string {
  let at = 0;
  return JSON.stringify(
    tracks.map(({ delivery, ...chosen }): PlacedTrack => {
      while (among[at] !== delivery) at++;
      return { ...chosen, at };
    }),
  );
}

const starter = offerToStarter<DeliveryThreadStarter>({
  async open(location, { by, batchId, label, takesCreated }, waitMs) {
    const waitPolicy = new WaitPolicy({
      ms: waitMs,
      onWait: (reason) => starter.tell('waits', reason),
      onContinue: (ms) => starter.tell('continues', ms),
    });
    store = await openStore(location, { clock: systemClock, log: silentLog, waitPolicy });
    const onCreated = async (some: readonly CreatedTrack[]) => {
      created.push(...some);
    };
    const options = takesCreated ? { onCreated } : {};
    session = await store.catalog.openDelivery(by, batchId, label, options);
  },
  deliver: (sent) => send('deliver', sent),
  preview: (sent) => send('preview', sent),
  list: (ids) => session.list(ids),
  withdraw: (source, ids) => session.withdraw(source, ids),
  countWithdrawable: (source, ids) => session.countWithdrawable(source, ids),
  takenDown: (limit) => session.takenDown(limit),
  countAbsent: (source) => session.countAbsent(source),
  withdrawAbsent: (source) => session.withdrawAbsent(source),
  async close() {
    try {
      await session.close();
    } finally {
      await store.close();
    }
  },
} satisfies DeliveryThread);
