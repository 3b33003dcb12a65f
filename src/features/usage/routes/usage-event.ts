import Type, { type Static } from 'typebox';
import { country, flag, integer, oneOf, text, time, uuid } from '../../../common/schema-types.ts';
import { parseTime } from '../../../common/time.ts';
import { CUE_USAGES, END_REASONS, USAGE_TYPES, type UsageEvent } from '../usage.ts';

const MAX_SECONDS = 86_400;

export const USAGE_ROUTE = {
  tag: 'Usage',
  access: { scope: 'usage', feature: 'usage' },
  requestHeaders: ['X-Stave-Now'],
} as const;

/** Returns the schema of an id that the client chooses. */
export function ownId(description: string, example: string) {
  return Type.String({
    pattern: '^[A-Za-z0-9._:~-]{1,100}$',
    'x-rule': 'have 1 to 100 letters, digits and characters of . _ : ~ -',
    description,
    examples: [example],
  });
}

function seconds(description: string, example: number) {
  return Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description, examples: [example] });
}

function shortText(maxLength: number, description: string, example: string) {
  return Type.String({ minLength: 1, maxLength, description, examples: [example] });
}

export const ProductionSchema = Type.Object(
  {
    id: ownId('Your id of the production.', 'ep-7'),
    title: shortText(200, 'The title of the film, the series or the spot.', 'Harbour Lights'),
    episodeTitle: Type.Optional(shortText(200, 'The title of the episode.', 'Low Tide')),
    episodeNumber: Type.Optional(shortText(50, 'The number of the episode.', 'S01E07')),
    country: Type.Optional(country({ description: 'Where it is produced.', examples: ['GB'] })),
    airDate: Type.Optional(
      text('The date of the first broadcast.', '2026-12-24', { format: 'date' }),
    ),
    durationSeconds: Type.Optional(seconds('The length of the production.', 2_700)),
  },
  { title: 'Production', description: 'The production that the track was synchronized with.' },
);

const CueSchema = Type.Object(
  {
    startSeconds: seconds('Where the track begins in the production.', 62),
    usage: oneOf(CUE_USAGES, {
      description:
        'As on cue sheets: background (B), visual (V) or featured (F), each instrumental (I) or vocal (V); source (VS), opening theme (OT), closing theme (CT), logo (EE).',
      examples: ['BI'],
    }),
    number: Type.Optional(
      integer('The number on the cue sheet.', 1, { minimum: 1, maximum: 9_999 }),
    ),
  },
  { title: 'Cue', description: 'The place of the track in the production.' },
);

/** One event of a report (docs/contract/usage.md#events). */
export const UsageEventSchema = Type.Object(
  {
    eventId: ownId('Your id of the event. Under one id, an event counts once.', 'e-1'),
    type: oneOf(USAGE_TYPES, {
      description: 'What was done with the track.',
      examples: ['stream'],
    }),
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    occurredAt: time({
      description: 'When it began, with any offset from UTC.',
      examples: ['2026-11-21T10:00:00+01:00'],
    }),
    seconds: Type.Optional(
      seconds('How long the track was used. Required for streams and syncs.', 42),
    ),
    userId: Type.Optional(
      shortText(200, 'Your id of the user. Only a keyed hash of it is stored.', 'u-17'),
    ),
    country: Type.Optional(country({ description: 'Where the user was.', examples: ['DE'] })),
    playlistId: Type.Optional(
      uuid({
        description: 'The playlist that it was part of. It is not looked up.',
        examples: ['9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21'],
      }),
    ),
    endReason: Type.Optional(
      oneOf(END_REASONS, { description: 'How a stream ended.', examples: ['naturalEnd'] }),
    ),
    offline: Type.Optional(flag('Whether the user was offline.', false, { default: false })),
    licenseNumber: Type.Optional(
      shortText(100, 'The number of one of your licenses, in either case.', '2026-000123-7K2QX9MD'),
    ),
    production: Type.Optional(ProductionSchema),
    cue: Type.Optional(CueSchema),
  },
  {
    title: 'UsageEvent',
    'x-members-by': {
      member: 'type',
      needs: { stream: ['seconds'], sync: ['seconds', 'production', 'cue'] },
      refuses: {
        stream: ['production', 'cue'],
        download: ['seconds', 'endReason', 'production', 'cue'],
        sync: ['endReason'],
      },
    },
  },
);

export function eventOf(sent: Static<typeof UsageEventSchema>): UsageEvent {
  return {
    eventId: sent.eventId,
    type: sent.type,
    trackId: sent.trackId.toLowerCase(),
    occurredAt: parseTime(sent.occurredAt)!,
    seconds: sent.seconds ?? null,
    userId: sent.userId ?? null,
    country: sent.country ?? null,
    playlistId: sent.playlistId?.toLowerCase() ?? null,
    endReason: sent.endReason ?? null,
    offline: sent.offline ?? false,
    licenseNumber: sent.licenseNumber?.toUpperCase() ?? null,
    production: sent.production ?? null,
    cue: sent.cue ?? null,
  };
}
