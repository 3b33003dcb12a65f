import Type, { type Static } from 'typebox';
import { integer, openEnum, textOrNull, timestamp, uuid } from '../../../common/schema-types.ts';
import {
  type Change,
  TRACK_EVENT_TYPES,
  trackEventOf,
} from '../../../engines/change-log/change-log.ts';
import { TrackSchema } from '../../tracks/routes/track-schemas.ts';

/** A change of a track in the feed (docs/contract/changes.md#events). */
export const TrackChangeSchema = Type.Object(
  {
    seq: integer(
      'The place in the order of changes. Numbers between belong to other objects.',
      4711,
      { minimum: 1 },
    ),
    type: openEnum(TRACK_EVENT_TYPES, { examples: ['track.updated'] }),
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    version: integer(
      'Apply an event only if its version is greater than the one that you hold.',
      4711,
      { minimum: 1 },
    ),
    occurredAt: timestamp({ examples: ['2026-11-21T10:00:00.123Z'] }),
    changedFields: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description:
        'What an update changed: names of members of the track, and `audio`, `artwork`, `previewStart`, `stems`, `versions`, `translations`, `availability`. Empty for other types; null if it was not recorded.',
      examples: [['name', 'filters']],
    }),
    batchId: textOrNull('The same for all changes of one import; null outside of imports.', null),
    track: Type.Optional(
      Type.Union([TrackSchema, Type.Null()], {
        description:
          'The track as it is now, never older than the event; null if it is not live. Absent with `tracks=false`.',
      }),
    ),
  },
  { title: 'TrackChange', description: 'A change of a track.' },
);

export function eventOf(change: Change): Omit<Static<typeof TrackChangeSchema>, 'track'> {
  const { seq, at, entityId, batchId, changed } = change;
  const type = trackEventOf(change);
  return {
    seq,
    type,
    trackId: entityId,
    version: seq,
    occurredAt: new Date(at).toISOString(),
    changedFields: type === 'track.updated' ? changed && [...changed] : [],
    batchId,
  };
}
