import Type from 'typebox';
import { slug, timestamp, uuid } from '../../../common/schema-types.ts';

/** A playlist as partners see it (docs/contract/playlists.md#playlist-fields). */
export const PlaylistSchema = Type.Object(
  {
    id: uuid({ examples: ['9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21'] }),
    name: Type.String({ examples: ['Late Evening'] }),
    slug: slug({ description: 'Unique among playlists.', examples: ['late-evening'] }),
    description: Type.String({ examples: ['Quiet pieces for the last hour.'] }),
    trackCount: Type.Integer({
      minimum: 0,
      description: 'The number of its live tracks.',
      examples: [12],
    }),
    durationSeconds: Type.Integer({
      minimum: 0,
      description: 'The total duration of its live tracks.',
      examples: [2210],
    }),
    artworkUrl: Type.String({
      format: 'uri',
      description: 'The URL has no signature and may be cached forever.',
      examples: [
        'http://127.0.0.1:8080/media/artwork/generated-1-3f2b6c1e-94d7-4a05-8c1b-7d3f5b9a0e21.png',
      ],
    }),
    createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
  },
  { title: 'Playlist', description: 'A list of tracks that the licensor granted to the client.' },
);
