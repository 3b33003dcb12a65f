import Type from 'typebox';
import { CONDITIONS, inputOf, MAX_RECORDS, nameOf, PAGE, pageOf } from './inputs.ts';
import { outputOf, PLACE, SIMILAR_TRACK, TRACKS, WARNINGS, WHOLE_TRACK } from './outputs.ts';
import { lineOf, pageSummary, shownTrack, textOf } from './shown.ts';
import { type CompiledTool, tool } from './tool.ts';

const SORTS = ['relevance', 'newest', 'oldest', 'name', 'bpm', 'duration', 'popular'] as const;

/** An agent describes what it looks for in words of any of these. */
const FIELDS = ['name', 'artists', 'tags'] as const;

const tempo = (end: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1000, description: `Only tracks of ${end} this tempo.` }),
  );
const duration = (end: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: `Only tracks of ${end} this duration in seconds.`,
    }),
  );
const day = (end: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: `Only tracks released on this day (UTC) or ${end}, such as 2026-01-31.`,
    }),
  );

/** The tools that find and read tracks. */
export const TRACK_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'search_tracks',
    title: 'Search tracks',
    description:
      'Searches the catalog by text and by properties. All conditions must hold; without any, all tracks match. ' +
      'For a mood or a genre, use filterSlugs from list_filters rather than the text.',
    scope: 'search',
    readOnly: true,
    input: inputOf({
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Words of the name, the artists or the tags.' }),
      ),
      ...CONDITIONS,
      bpmMin: tempo('at least'),
      bpmMax: tempo('at most'),
      durationMin: duration('at least'),
      durationMax: duration('at most'),
      releasedFrom: day('later'),
      releasedTo: day('earlier'),
      sort: Type.Optional(
        Type.Union(
          SORTS.map((sort) => Type.Literal(sort)),
          { description: 'The order. By default the best match first, or else the newest.' },
        ),
      ),
      ...PAGE,
    }),
    output: outputOf({ ...PLACE, ...TRACKS, ...WARNINGS }),
    async run({ client }, { text, page, pageSize, ...conditions }, options) {
      const words = text === undefined ? {} : { query: text, in: [...FIELDS] };
      const request = { ...words, ...conditions, ...pageOf({ page, pageSize }) };
      const { items, warnings, facets, ...place } = await client.searchTracks(request, options);
      const tracks = items.map(shownTrack);
      return {
        data: { ...place, tracks, ...(warnings && { warnings }) },
        text: textOf(pageSummary('tracks', place), tracks.map(lineOf), warnings),
      };
    },
  }),
  tool({
    name: 'similar_tracks',
    title: 'Find similar tracks',
    description:
      'Lists the tracks that resemble a given track most, by genre, mood and tempo, with the reasons.',
    scope: 'similar',
    readOnly: true,
    input: inputOf({
      track: nameOf('track'),
      ...CONDITIONS,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_RECORDS,
          default: 10,
          description: 'The greatest number of tracks.',
        }),
      ),
    }),
    output: outputOf({ tracks: Type.Array(SIMILAR_TRACK), ...WARNINGS }),
    async run({ client }, { track: slug, limit = 10, ...conditions }, options) {
      const query = { slug, limit, ...conditions };
      const { items, warnings } = await client.listSimilarTracks(query, options);
      const tracks = items.map(({ track, score, reasons }) => ({
        ...shownTrack(track),
        score,
        reasons,
      }));
      const lines = tracks.map((one) => `${one.score.toFixed(2)} ${lineOf(one)}`);
      return {
        data: { tracks, ...(warnings && { warnings }) },
        text: textOf(`${tracks.length} tracks similar to ${slug}`, lines, warnings),
      };
    },
  }),
  tool({
    name: 'get_track',
    title: 'Read a track',
    description:
      'Returns all data of a track, with signed URLs of its audio and preview. They need no token and expire at ' +
      'streamUrlExpiresAt: call again for new ones.',
    scope: 'tracks',
    readOnly: true,
    input: inputOf({ track: nameOf('track') }),
    output: outputOf({ track: WHOLE_TRACK }),
    async run({ client }, { track: slug }, options) {
      const track = await client.showTrack({ slug }, options);
      const audio = track.hasAudio
        ? `Audio until ${track.streamUrlExpiresAt}: ${track.streamUrl}`
        : 'It has no audio.';
      return { data: { track }, text: `${lineOf(shownTrack(track))}\n${audio}` };
    },
  }),
];
