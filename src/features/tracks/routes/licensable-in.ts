import Type from 'typebox';
import type { Caller } from '../../../common/caller.ts';
import { COUNTRIES, type RegionGroup, regionsCovering, WORLD } from '../../../common/codes.ts';
import type { FieldProblem } from '../../../common/errors.ts';
import { oneOf } from '../../../common/schema-types.ts';
import { refuseUnlessGranted } from '../../../engines/http/guard/authorize.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';

/** What the member needs in addition to what the operation needs. */
export const LICENSABLE_IN_ACCESS = {
  member: 'licensableIn',
  access: { scope: 'licensing', feature: 'licensing' },
} as const satisfies Route['restricted'];

/** The member of list and search that restricts tracks by where they may be licensed. */
export const licensableInMember = Type.Optional(
  Type.Array(
    oneOf([WORLD, ...COUNTRIES], {
      'x-rule': 'be WORLD, or a country code of ISO 3166-1 in upper case, such as DE',
    }),
    {
      maxItems: COUNTRIES.length,
      uniqueItems: true,
      description:
        'Only tracks whose `region` and availability cover each of these countries, or `WORLD` alone for all countries. A region may be a group of your rate card. Exclusive licenses are not considered. Needs the feature and the scope `licensing`.',
      examples: [['DE', 'AT']],
    },
  ),
);

/** A query with the member. */
export interface LicensableQuery {
  licensableIn?: readonly string[];
}

/** Returns the groups of countries of the rate card of a client. */
export type RegionGroupsOf = (clientId: string) => readonly RegionGroup[];

/** Returns the problem of a list that has `WORLD` and countries. */
export function licensableInProblems(
  { licensableIn = [] }: LicensableQuery,
  field = 'licensableIn',
): FieldProblem[] {
  return licensableIn.length > 1 && licensableIn.includes(WORLD)
    ? [{ field, message: `${field} must have WORLD alone, or only countries` }]
    : [];
}

/** Throws `feature_not_enabled` or `insufficient_scope` if the caller may not use the member that a query has. */
export function refuseUnlicensed({ licensableIn = [] }: LicensableQuery, caller: Caller): void {
  if (licensableIn.length > 0) refuseUnlessGranted(caller, LICENSABLE_IN_ACCESS.access);
}

/** Whether a client has the features, and a token the scopes, that a query needs. */
export function mayAsk(
  { licensableIn = [] }: LicensableQuery,
  { features, scopes }: Pick<Caller, 'features' | 'scopes'>,
): boolean {
  return licensableIn.length === 0 || (features.has('licensing') && scopes.has('licensing'));
}

/** The restriction of a query of the catalog by where tracks may be licensed. */
export type LicensableRestriction = Required<Pick<CatalogQuery, 'regions' | 'territories'>>;

/** Returns the restriction of a query; undefined if it allows all. An empty list counts as absent. */
export function licensableRestriction(
  { licensableIn = [] }: LicensableQuery,
  clientId: string,
  groupsOf: RegionGroupsOf,
): LicensableRestriction | undefined {
  if (licensableIn.length === 0) return undefined;
  return {
    regions: regionsCovering(licensableIn, groupsOf(clientId)),
    territories: licensableIn,
  };
}
