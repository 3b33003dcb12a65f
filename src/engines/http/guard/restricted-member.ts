import type { Caller } from '../../../common/caller/caller.ts';
import { valuesInUrl } from '../input/url-values.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Route } from '../route/route.ts';
import { refuseUnlessGranted } from './authorize.ts';

/**
 * The member of the query or the body that needs more than the operation. A caller without the right gets 403 also for a
 * malformed value, as for a malformed request to an operation that it may not call.
 */
export class RestrictedMember {
  readonly #rule: NonNullable<Route['restricted']>;
  readonly #isInQuery: boolean;

  private constructor(rule: NonNullable<Route['restricted']>, isInQuery: boolean) {
    this.#rule = rule;
    this.#isInQuery = isInQuery;
  }

  /** Returns undefined for a route without such a member. */
  static of({ restricted, query }: Route): RestrictedMember | undefined {
    if (restricted === undefined) return undefined;
    return new RestrictedMember(
      restricted,
      Object.hasOwn(query?.properties ?? {}, restricted.member),
    );
  }

  /** Throws as `refuseUnlessGranted` if the URL has the member of the query. An empty list counts as absent. */
  refuseInUrl({ request, caller }: RequestContext): void {
    if (!this.#isInQuery) return;
    const { member, access } = this.#rule;
    const values = valuesInUrl(request.url!, member);
    if (values.some((value) => value !== '' && value !== '[]'))
      refuseUnlessGranted(caller!, access);
  }

  /** The same for a parsed body, which need not be valid. */
  refuseInBody(body: unknown, caller: Caller): void {
    const { member, within, access } = this.#rule;
    const value = memberOf(within === undefined ? body : memberOf(body, within), member);
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) refuseUnlessGranted(caller, access);
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
