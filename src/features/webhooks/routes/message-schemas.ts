import Type, { type TProperties } from 'typebox';
import {
  flag,
  integer,
  integerOrNull,
  oneOf,
  openEnum,
  text,
  textOrNull,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import type { OutgoingMessage } from '../../../engines/http/route/route.ts';
import type { MessageType } from '../webhook.ts';

const mode = oneOf(['test', 'live'], {
  description: 'The mode of the webhook.',
  examples: ['live'],
});
const id = uuid({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] });
const trackId = uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] });

/** The members of `data` of all events. */
const common = {
  mode,
  simulated: Type.Optional(
    Type.Literal(true, { description: 'Only in messages of `…/simulate`.', examples: [true] }),
  ),
  seq: Type.Optional(
    integer('The position in the change log. Absent from simulated messages.', 4711),
  ),
  previousSeq: Type.Optional(
    integer(
      'The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages.',
      4690,
    ),
  ),
};

const references = Type.Object(
  {
    playlists: integer('Playlists.', 1),
    collections: integer('Collections.', 0),
    licenses: integer('Licenses.', 0),
  },
  { description: 'How many playlists, collections and licenses of yours refer to the track.' },
);

const TrackItem = Type.Object(
  {
    seq: Type.Optional(integer('Its position in the change log.', 4711)),
    trackId,
    version: Type.Optional(
      integer('The version of the track, which is the `seq` of its last change.', 4711),
    ),
    occurredAt: timestamp({ examples: ['2026-11-21T10:00:00.123Z'] }),
    changedFields: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The members that an update changed, as in the feed; null if not recorded.',
      examples: [[]],
    }),
    references,
  },
  { title: 'WebhookTrackItem' },
);

const tracks = {
  fromSeq: Type.Optional(integer('The position of the first change that it reports.', 4711)),
  count: integer('The number of changes that it reports.', 1),
  truncated: flag(
    'Whether there were too many changes to name. `items` is empty then: read the feed from `cursor`.',
    false,
  ),
  cursor: Type.Optional(
    text(
      'A position before the changes, for `GET /v1/tracks/changes`. Present if the feature `changes` is on.',
      'c1.AAECAwQFBgcAAAAAAAASZw',
    ),
  ),
  batchId: textOrNull('The import that made all of these changes; null otherwise.', null),
  items: Type.Array(TrackItem, { maxItems: 50, description: 'The changes in their order.' }),
};

/** The members of a message that reports many changes. */
const truncation = {
  fromSeq: Type.Optional(integer('The first change, if there were too many to send each.', 4711)),
  count: Type.Optional(integer('The number of changes, if there were too many to send each.', 1)),
  truncated: Type.Optional(
    Type.Literal(true, {
      description: 'Only if there were too many changes to send each. Only the last one is shown.',
      examples: [true],
    }),
  ),
};
const playlist = { ...truncation, playlistId: id };

const trackIds = Type.Array(trackId, { maxItems: 50, description: 'Up to 50 of the tracks.' });
const license = {
  number: Type.String({ examples: ['2026-000123-7K2QX9MD'] }),
  status: Type.String({ examples: ['active'] }),
  trackIds,
  fromSeq: truncation.fromSeq,
  count: integer('The number of tracks, or of changes if `truncated` is present.', 1),
  truncated: truncation.truncated,
};

/** Every message, in the order of the documentation (docs/contract/webhooks.md#event-types). */
export const MESSAGES: readonly OutgoingMessage[] = [
  message('track.created', 'Tracks were added', tracks),
  message('track.updated', 'Tracks were changed', tracks),
  message('track.taken_down', 'Tracks were taken down', tracks),
  message('track.restored', 'Tracks are back after a takedown', tracks),
  message('playlist.updated', 'A playlist that is granted to you was changed', playlist),
  message('playlist.granted', 'A playlist was granted to you', playlist),
  message('playlist.revoked', 'A playlist is no longer granted to you, or was deleted', playlist),
  message('collection.updated', 'A collection that you can read was changed', {
    ...truncation,
    collectionId: id,
    change: openEnum(
      ['created', 'updated', 'deleted', 'shared', 'unshared', 'taken_down', 'restored'],
      { examples: ['updated'] },
    ),
    version: integerOrNull(
      'The version when the message is made; null if the collection is deleted by then.',
      3,
    ),
  }),
  message('saved_search.matched', 'New tracks match a saved search', {
    savedSearchId: id,
    name: Type.String({ examples: ['Calm nights'] }),
    count: integer('The exact number of tracks that were created since the message before.', 1),
    trackIds: Type.Array(trackId, {
      maxItems: 50,
      description: 'Up to 50 of them, the last created first.',
    }),
  }),
  message('license.issued', 'A license was issued to you', license),
  message('license.revoked', 'A license of yours was revoked', license),
  {
    ...named('webhook.ping', 'You asked for a ping', { mode, webhookId: id }),
    description: 'Sent for `POST /v1/webhooks/{id}/ping`.',
  },
];

function message(type: MessageType, summary: string, members: TProperties): OutgoingMessage {
  return {
    ...named(type, summary, { ...common, ...members }),
    description: `A message with the body below is sent to each webhook with \`${type}\` in \`eventTypes\`.`,
  };
}

function named(type: MessageType, summary: string, data: TProperties) {
  const name = type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const schema = Type.Object(
    {
      type: Type.Literal(type, { examples: [type] }),
      timestamp: timestamp({
        description: 'The time of the last change that it reports.',
        examples: ['2026-11-21T10:00:00.123Z'],
      }),
      data: Type.Object(data),
    },
    { title: `${name}Message` },
  );
  return { type, operationId: `receive${name}`, tag: 'Webhooks', summary, schema };
}
