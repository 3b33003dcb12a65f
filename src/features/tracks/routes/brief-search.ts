import Type from 'typebox';
import type { Caller } from '../../../common/caller.ts';
import { flag, openEnum, text } from '../../../common/schema-types.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import type { ApiResponse } from '../../../engines/http/route/route.ts';
import { pageAround, paginated } from '../../../engines/http/schemas.ts';
import { UNDERSTOOD_KINDS, type Understood } from '../../briefs/brief.ts';
import type { Briefs, ReadBrief } from '../../briefs/briefs.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { BriefRequest } from './brief-members.ts';
import { queryWarnings } from './query-warnings.ts';
import { facetsJson } from './track-facets.ts';
import type { TrackPages } from './track-page.ts';
import { catalogQuery, requestedPage, type TrackQuery } from './track-query.ts';
import { FOUND_MEMBERS, TrackSchema } from './track-schemas.ts';

export interface BriefSources {
  catalog: Pick<LiveCatalog, 'hasKey' | 'rank' | 'search' | 'filters' | 'languages'>;
  pages: Pick<TrackPages, 'page'>;
  briefs: Pick<Briefs, 'read' | 'version'>;
}

/** Returns one page of the tracks that a brief finds. */
export async function briefResponse(
  { catalog, pages, briefs }: BriefSources,
  query: TrackQuery & BriefRequest,
  restriction: Partial<CatalogQuery>,
  { caller, now }: { caller: Caller; now: number },
): Promise<ApiResponse> {
  const { brief, ignore, ...others } = query;
  const read = await briefs.read(brief, { now, ...(ignore && { ignore }) });
  const { total, rowIds, ids, facets, carried, unknown } = catalog.rank(
    { ...catalogQuery(others), ...restriction, ...(caller.language && { aliases: true }) },
    read.ranking?.ranking,
    requestedPage(others, caller.mode),
  );
  const frame = {
    ...pageAround(rowIds, total, query),
    facets:
      facets && facetsJson(facets, catalog.filters(undefined, caller.language), catalog.filters()),
    warnings: queryWarnings(catalog, {
      unknown,
      songKey: total === 0 ? query.songKey : undefined,
      language: query.language,
    }),
    brief: asciiJson(shownBrief(read)),
  };
  const matched = new Map(
    ids.map((id, i) => [id, carried[i]!.map((concept) => read.ranking!.partOf[concept]!)]),
  );
  const response = await pages.page(frame, caller, (trackId) => ({
    ...{ before: '', after: '' },
    inside: `,"matched":[${matched.get(trackId)!.join()}]`,
  }));
  return read.embeddings === 'unavailable' ? { ...response, shareable: false } : response;
}

function shownBrief({ understood, ignored, embeddings }: ReadBrief) {
  return { understood: understood.map(shownPart), ignored, embeddings };
}

/** JSON has no members that are undefined. */
function shownPart({ text, kind, filter, tag, artist, min, max, value, weight, hard }: Understood) {
  return { text, kind, filter, tag, artist, min, max, value, weight, hard };
}

const bound = (description: string, examples: (number | string)[]) =>
  Type.Optional(
    Type.Unsafe<number | string>({ type: ['number', 'string'], description, examples }),
  );

const UnderstoodSchema = Type.Object(
  {
    text: text('As the brief has it.', 'around 90 bpm'),
    kind: openEnum(UNDERSTOOD_KINDS, {
      description: 'What it is; `not` is what tracks must not have.',
      examples: ['tempo'],
    }),
    filter: Type.Optional(text('The slug of a filter.', 'dark')),
    tag: Type.Optional(text('A tag.', 'detective')),
    artist: Type.Optional(text('The name of an artist.', 'Night Ensemble')),
    min: bound(
      'The least tempo in beats per minute, length in seconds, or day of release (UTC).',
      [81],
    ),
    max: bound('The greatest one.', [99]),
    value: Type.Optional(
      text(
        'The vocals, the type, the key, or a word that tracks may have in their name.',
        'instrumental',
      ),
    ),
    weight: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'How much it counts. Below 1 if its meaning is only similar, or if it may be meant otherwise.',
      examples: [1],
    }),
    hard: flag('Whether tracks that do not meet it are excluded.', true),
  },
  { title: 'UnderstoodPart', description: 'A part of a brief, and how it was understood.' },
);

const BriefSchema = Type.Object(
  {
    understood: Type.Array(UnderstoodSchema, { description: 'In the order of the brief.' }),
    ignored: Type.Array(Type.String({ examples: ['the usual'] }), {
      description: 'What was not understood, or left out.',
    }),
    embeddings: openEnum(['local', 'remote', 'off', 'unavailable'], {
      description:
        'Where phrases that are in no vocabulary were compared by meaning. `unavailable`: not this time.',
      examples: ['local'],
    }),
  },
  { title: 'Brief', description: 'How a brief was understood; only where one was sent.' },
);

const RankedTrackSchema = Type.Object(
  {
    ...TrackSchema.properties,
    matched: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, examples: [0] }), {
        description:
          'The positions in `understood` of what the track has of the brief, what counts most first. What every track of the result has, because it is `hard`, is not among them. Only where a brief was sent.',
      }),
    ),
  },
  { title: 'RankedTrack', description: 'A track, and what it has of a brief.' },
);

/** See docs/contract/briefs.md#response-of-a-brief. */
export const SearchedTracksSchema = paginated(RankedTrackSchema, 'SearchedTracks', {
  ...FOUND_MEMBERS,
  brief: Type.Optional(BriefSchema),
});
