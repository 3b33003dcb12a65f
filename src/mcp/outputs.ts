import Type from 'typebox';

/** An object of at least these members: a newer service adds others. */
export function outputOf<Members extends Record<string, Type.TSchema>>(members: Members) {
  return Type.Object(members);
}

/** The place of a page in its list. */
export const PLACE = {
  totalRecords: Type.Integer({ description: 'How many records match.' }),
  currentPage: Type.Integer(),
  pageSize: Type.Integer(),
  totalPages: Type.Integer({ description: '0 if nothing matches.' }),
};

/** What the service did not understand as the caller meant it. */
export const WARNINGS = {
  warnings: Type.Optional(Type.Array(outputOf({ field: Type.String(), message: Type.String() }))),
};

/** The members of a track that lists show. URLs expire, so that only get_track returns them. */
const SHOWN_TRACK = {
  slug: Type.String({ description: 'The name of the track for other tools.' }),
  id: Type.String(),
  name: Type.String(),
  artists: Type.Array(Type.String(), { description: 'Names.' }),
  type: Type.Union([Type.Literal('music'), Type.Literal('sfx')]),
  bpm: Type.String({ description: 'A decimal number, or empty if it is unknown.' }),
  songKey: Type.Array(Type.String()),
  durationSeconds: Type.Integer({ description: '0 if it is unknown.' }),
  hasVocals: Type.Boolean(),
  releaseDate: Type.String({ description: 'ISO 8601, UTC.' }),
  filters: Type.Array(Type.String(), { description: 'Slugs.' }),
};

/** A track of a list. */
export const LISTED_TRACK = outputOf(SHOWN_TRACK);

/** A list of tracks. */
export const TRACKS = { tracks: Type.Array(LISTED_TRACK) };

/** How much two tracks have in common, from 0 to 1. */
function share(what: string) {
  return Type.Union([Type.Number(), Type.Null()], {
    description: `How alike the ${what} are; null if unknown.`,
  });
}

/** A track of a list of similar ones. */
export const SIMILAR_TRACK = outputOf({
  ...SHOWN_TRACK,
  score: Type.Number({ description: 'From 0 to 1.' }),
  reasons: outputOf({
    genre: share('genres'),
    mood: share('moods'),
    bpm: share('tempo'),
    key: Type.Boolean(),
    hasVocals: Type.Boolean(),
    sharedFilters: Type.Array(Type.String(), { description: 'Slugs.' }),
  }),
});

/** A filter of the catalog. */
export const FILTER = outputOf({
  slug: Type.String({ description: 'A value of filterSlugs.' }),
  name: Type.String(),
  type: Type.String(),
  trackCount: Type.Integer(),
});

/** A playlist without its tracks. */
export const PLAYLIST = outputOf({
  slug: Type.String({ description: 'The name of the playlist for other tools.' }),
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  trackCount: Type.Integer(),
  durationSeconds: Type.Integer(),
});

/** The members of a whole track that an agent needs most. */
export const WHOLE_TRACK = outputOf({
  slug: Type.String(),
  id: Type.String(),
  name: Type.String(),
  hasAudio: Type.Boolean(),
  streamUrl: Type.String({ description: 'Plays without a token until streamUrlExpiresAt.' }),
  streamUrlExpiresAt: Type.String(),
});

/** What decides a quote. Amounts are integers of minor units, such as cents. */
export const QUOTE = outputOf({
  id: Type.String({ description: 'With it, a person buys the license.' }),
  status: Type.String(),
  amountMinor: Type.Integer(),
  currency: Type.String({ description: 'ISO 4217.' }),
  minorUnit: Type.Integer({ description: 'The number of decimals of the currency.' }),
  expiresAt: Type.String(),
});

/** The values that quotes are made of. */
export const RATE_CARD = outputOf({
  name: Type.String(),
  version: Type.Integer(),
  currency: Type.String({ description: 'ISO 4217.' }),
  media: Type.Array(Type.String()),
  terms: Type.Array(Type.String()),
  exclusive: Type.Boolean(),
});
