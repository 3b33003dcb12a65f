import type { Mode } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import type { EventType, MessageType } from './webhook.ts';

/** What a partner wants to have simulated. */
export interface SimulatedEvent {
  type: EventType;
  /** The track of an event of a track. */
  trackId: string;
}

/** Returns the text of a message. The attempts of a message all send this text. */
export function payloadOf(type: MessageType, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Returns the payload of a ping. */
export function pingPayload(webhookId: string, mode: Mode, now: number): string {
  return payloadOf('webhook.ping', now, { mode, webhookId });
}

/** Returns the payload of a message that reports no change. Throws `conflict` in live mode. */
export function simulatedPayload({ type, trackId }: SimulatedEvent, mode: Mode, now: number) {
  if (mode === 'live') {
    throw new StaveError('conflict', 'Only webhooks of test mode get simulated messages.');
  }
  return payloadOf(type, now, { mode, simulated: true, ...sampleOf(type, trackId, now) });
}

/** The first part of the name of a type. */
type EntityOf<Type> = Type extends `${infer Entity}.${string}` ? Entity : never;

function sampleOf(type: EventType, trackId: string, now: number): object {
  const [entity] = type.split('.') as [EntityOf<EventType>];
  switch (entity) {
    case 'track':
      return {
        count: 1,
        truncated: false,
        batchId: null,
        items: [
          {
            trackId,
            occurredAt: new Date(now).toISOString(),
            changedFields: type === 'track.updated' ? ['name'] : [],
            references: { playlists: 0, collections: 0, licenses: 0 },
          },
        ],
      };
    case 'playlist':
      return { playlistId: newId() };
    case 'collection':
      return { collectionId: newId(), change: 'updated', version: 2 };
    case 'saved_search':
      return { savedSearchId: newId(), name: 'Simulated', count: 1, trackIds: [trackId] };
    case 'license':
      return {
        number: 'SIMULATED',
        status: type === 'license.issued' ? 'active' : 'revoked',
        count: 1,
        trackIds: [trackId],
      };
  }
}
