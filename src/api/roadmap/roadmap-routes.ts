import Type from 'typebox';
import type { Feature } from '../../access/client.ts';
import { StaveError } from '../../common/errors.ts';
import { API_VERSION } from '../../common/version.ts';
import { type Route, route } from '../../http/route.ts';

/**
 * Returns the routes of docs/contract/features.md#announced-operations. Each belongs to a contract
 * feature. While the feature is off for the client, the checks before the handler respond with
 * `feature_not_enabled`. If it is on, the handler responds that this version does not implement it.
 */
export function roadmapRoutes(): Route[] {
  return [
    announced({
      operationId: 'reportUsage',
      method: 'POST',
      path: '/v1/usage',
      feature: 'usage',
      summary: 'Report streams and downloads',
      purpose: 'Stream and download usage reporting.',
    }),
  ];
}

function announced({
  feature,
  purpose,
  ...operation
}: Pick<Route, 'operationId' | 'method' | 'path' | 'summary'> & {
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
