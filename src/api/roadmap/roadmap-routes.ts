import Type from 'typebox';
import type { Feature } from '../../access/client.ts';
import { StaveError } from '../../common/errors.ts';
import { API_VERSION } from '../../common/version.ts';
import { type Route, route } from '../../http/route.ts';

/**
 * Returns the three routes of docs/contract/features.md#announced-operations. Each belongs to a contract
 * feature. While the feature is off for the client, the checks before the handler respond with
 * `feature_not_enabled`. If it is on, the handler responds that this version does not implement it.
 */
export function roadmapRoutes(): Route[] {
  return [
    announced({
      operationId: 'listTrackChanges',
      method: 'GET',
      path: '/v1/tracks/changes',
      feature: 'changes',
      summary: 'Follow the changes of the catalog',
      purpose: 'Incremental sync feed.',
      query: Type.Object({
        since: Type.Optional(
          Type.String({
            description: 'Changes after this moment.',
            examples: ['2026-01-01T00:00:00.000Z'],
          }),
        ),
      }),
    }),
    announced({
      operationId: 'reportUsage',
      method: 'POST',
      path: '/v1/usage',
      feature: 'usage',
      summary: 'Report streams and downloads',
      purpose: 'Stream and download usage reporting.',
    }),
    announced({
      operationId: 'listSimilarTracks',
      method: 'GET',
      path: '/v1/tracks/{slug}/similar',
      feature: 'similar',
      summary: 'Find similar tracks',
      purpose: 'Similar tracks by genre, mood and BPM.',
      params: Type.Object({
        slug: Type.String({ description: 'Slug or id of a track.', examples: ['night-bus-home'] }),
      }),
    }),
  ];
}

function announced({
  feature,
  purpose,
  ...operation
}: Pick<Route, 'operationId' | 'method' | 'path' | 'summary' | 'params' | 'query'> & {
  feature: Feature;
  purpose: string;
}): Route {
  return route({
    ...operation,
    version: API_VERSION,
    tag: 'Contract features',
    description: `${purpose} A contract feature, announced and not part of this version: every call gets 403 \`feature_not_enabled\`.`,
    access: { scope: feature, feature },
    errors: ['feature_not_enabled'],
    data: Type.Never(),
    handle() {
      throw new StaveError(
        'feature_not_enabled',
        `The contract feature "${feature}" is switched on for this client, but this version of Stave does not have it yet.`,
      );
    },
  });
}
