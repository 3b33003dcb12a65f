import Type from 'typebox';
import type { CreateQuoteInput, Playlist } from '#client';
import { TERRITORY } from '../common/codes.ts';
import { contractName, line } from '../common/schema-types.ts';
import {
  CHOICES,
  CONDITIONS,
  FILTER,
  inputOf,
  lineOf,
  MAX_RECORDS,
  nameOf,
  PAGE,
  PLACE,
  PLAYLIST,
  pageOf,
  pageSummary,
  QUOTE,
  RATE_CARD,
  SIMILAR_TRACK,
  shownTrack,
  TRACKS,
  textOf,
  WARNINGS,
  WHOLE_TRACK,
} from './schemas.ts';
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
      maximum: 2_147_483_647,
      description: `Only tracks of ${end} this duration in seconds.`,
    }),
  );
const day = (end: string) =>
  Type.Optional(
    Type.String({
      format: 'date',
      description: `Only tracks released on this day (UTC) or ${end}, such as 2026-01-31.`,
    }),
  );

export const TRACK_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'search_tracks',
    title: 'Search tracks',
    description:
      'Searches the catalog by text and by properties. All conditions must hold; without any, all tracks match. ' +
      'For a mood or a genre, use slugs from list_filters rather than the text: filterSlugs for all of them, ' +
      'anyFilterSlugs for one of several, notFilterSlugs for none; or describe it in a brief.',
    scope: 'search',
    readOnly: true,
    input: inputOf({
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Words of the name, the artists or the tags.' }),
      ),
      brief: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1_000,
          description:
            'What is looked for in plain words, such as "dark trailer, no vocals, under two minutes". Ranks tracks by what ' +
            'they have of it. Not with text or sort.',
        }),
      ),
      ...CONDITIONS,
      ...CHOICES,
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
    output: Type.Object({ ...PLACE, ...TRACKS, ...WARNINGS }),
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
    output: Type.Object({ tracks: Type.Array(SIMILAR_TRACK), ...WARNINGS }),
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
    output: Type.Object({ track: WHOLE_TRACK }),
    async run({ client }, { track: slug }, options) {
      const track = await client.showTrack({ slug }, options);
      const audio = track.hasAudio
        ? `Audio until ${track.streamUrlExpiresAt}: ${track.streamUrl}`
        : 'It has no audio.';
      return { data: { track }, text: `${lineOf(shownTrack(track))}\n${audio}` };
    },
  }),
];

/** The API lists all filters at once; a large catalog has more than a model can read. */
const MAX_FILTERS = 200;

const TYPES = ['genre', 'mood', 'use-case'] as const;

export const LIST_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'list_filters',
    title: 'List filters',
    description:
      'Lists genres, moods and use cases with the number of their tracks, most tracks first. Their slugs are ' +
      `the filterSlugs, anyFilterSlugs and notFilterSlugs of other tools. At most ${MAX_FILTERS} are shown; restrict them with contains.`,
    scope: 'filters',
    readOnly: true,
    input: inputOf({
      type: Type.Optional(
        Type.Union(
          TYPES.map((one) => Type.Literal(one)),
          { description: 'Only filters of this type.' },
        ),
      ),
      contains: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Only filters whose name contains this text, in any case.',
        }),
      ),
    }),
    output: Type.Object({
      totalRecords: Type.Integer({ description: 'How many filters match.' }),
      filters: Type.Array(FILTER),
    }),
    async run({ client }, { type, contains = '' }, options) {
      const { items } = await client.listFilters(type === undefined ? {} : { type }, options);
      const matching = items
        .filter(({ name }) => name.toLowerCase().includes(contains.toLowerCase()))
        .sort((a, b) => b.trackCount - a.trackCount);
      const filters = matching
        .slice(0, MAX_FILTERS)
        .map(({ slug, name, type: kind, trackCount }) => ({ slug, name, type: kind, trackCount }));
      const lines = filters.map(
        (one) => `${one.name} [${one.slug}] ${one.type}, ${one.trackCount} tracks`,
      );
      const summary = `${matching.length} filters, ${filters.length} shown`;
      return {
        data: { totalRecords: matching.length, filters },
        text: textOf(summary, lines),
      };
    },
  }),
  tool({
    name: 'list_playlists',
    title: 'List playlists',
    description: 'Lists the playlists that the licensor has granted to this client.',
    scope: 'playlists',
    readOnly: true,
    input: inputOf(PAGE),
    output: Type.Object({ ...PLACE, playlists: Type.Array(PLAYLIST) }),
    async run({ client }, input, options) {
      const { items, ...place } = await client.listPlaylists(pageOf(input), options);
      const playlists = items.map(shownPlaylist);
      const lines = playlists.map((one) => `${one.name} [${one.slug}] ${one.trackCount} tracks`);
      return {
        data: { ...place, playlists },
        text: textOf(pageSummary('playlists', place), lines),
      };
    },
  }),
  tool({
    name: 'get_playlist',
    title: 'Read a playlist',
    description: 'Returns a playlist and a page of its tracks, in its order.',
    scope: 'playlists',
    readOnly: true,
    input: inputOf({ playlist: nameOf('playlist'), ...PAGE }),
    output: Type.Object({ playlist: PLAYLIST, ...PLACE, ...TRACKS }),
    async run({ client }, { playlist: idOrSlug, ...page }, options) {
      const [playlist, { items, ...place }] = await Promise.all([
        client.showPlaylist({ idOrSlug }, options),
        client.listPlaylistTracks({ idOrSlug, ...pageOf(page) }, options),
      ]);
      const tracks = items.map(shownTrack);
      const summary = `${playlist.name}: ${pageSummary('tracks', place)}`;
      return {
        data: { playlist: shownPlaylist(playlist), ...place, tracks },
        text: textOf(summary, tracks.map(lineOf)),
      };
    },
  }),
];

function shownPlaylist({ slug, id, name, description, trackCount, durationSeconds }: Playlist) {
  return { slug, id, name, description, trackCount, durationSeconds };
}

const medium = Type.String({ minLength: 1, maxLength: 50 });

/** No tool buys a license: a person decides that. */
export const LICENSING_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'get_rate_card',
    title: 'Read the rate card',
    description: 'Returns the media, terms and other values that create_quote accepts.',
    scope: 'licensing',
    readOnly: true,
    input: inputOf({}),
    output: Type.Object({ rateCard: RATE_CARD }),
    async run({ client }, _input, options) {
      const card = await client.readRateCard(options);
      const lines = [
        `Media: ${card.media.join(', ')}`,
        `Terms: ${card.terms.join(', ')}`,
        card.audience.length > 0 ? 'A quote needs the audience.' : 'The audience does not count.',
        card.exclusive ? 'Exclusive licenses are sold.' : 'Exclusive licenses are not sold.',
      ];
      return {
        data: { rateCard: card },
        text: textOf(`${card.name}, version ${card.version}, in ${card.currency}`, lines),
      };
    },
  }),
  tool({
    name: 'create_quote',
    title: 'Request a price',
    description:
      'Requests a binding price for a use of tracks, from get_rate_card. It does not buy a license and costs ' +
      'nothing. The quote is stored at the licensor until it expires.',
    scope: 'licensing',
    readOnly: false,
    input: inputOf({
      tracks: Type.Array(nameOf('track'), {
        minItems: 1,
        maxItems: MAX_RECORDS,
        description: 'The tracks, each once.',
      }),
      media: Type.Array(medium, {
        minItems: 1,
        maxItems: 50,
        description: 'Where the tracks are used, as the rate card lists it.',
      }),
      territories: Type.Array(Type.String({ ...TERRITORY, pattern: '^([A-Z]{2}|WORLD)$' }), {
        minItems: 1,
        maxItems: 249,
        description: 'ISO 3166 codes of countries, such as DE, or WORLD alone.',
      }),
      term: Type.String({
        minLength: 1,
        maxLength: 50,
        description: 'A term of the rate card, such as P1Y.',
      }),
      audience: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'How many people the use reaches, if the rate card needs it.',
        }),
      ),
      exclusive: Type.Optional(
        Type.Boolean({
          description: 'Whether nobody else may get a license for the same use.',
        }),
      ),
      projectName: contractName(200, {
        description: 'The name of the film, the series or the spot.',
      }),
      purchaseOrder: Type.Optional(
        line(100, { description: 'The number of your order, which the license shows.' }),
      ),
    }),
    output: Type.Object({ quote: QUOTE }),
    async run({ client }, { projectName, ...use }, options) {
      // The service checks the codes of the countries.
      const request = { ...use, project: { name: projectName } } as CreateQuoteInput;
      const quote = await client.createQuote(request, options);
      const { items, amountMinor, currency, minorUnit, id, expiresAt } = quote;
      const amount = (minor: number) =>
        `${(minor / 10 ** minorUnit).toFixed(minorUnit)} ${currency}`;
      const lines = items.map((one) => `${one.name} [${one.slug}] ${amount(one.amountMinor)}`);
      const summary = `Quote ${id}: ${amount(amountMinor)}, valid until ${expiresAt}. Nothing was bought.`;
      return { data: { quote }, text: textOf(summary, lines) };
    },
  }),
];
