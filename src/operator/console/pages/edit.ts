import type { AppContext } from '../../../app/open/context.ts';
import { StaleVersion } from '../../../engines/change-log/stale-version.ts';
import { action, type ConsoleRequest, type ConsoleRoute } from './page.ts';

/**
 * Makes the route of a form that changes what its page shows.
 *
 * @param handle gets a context that writes only what has not changed since the page was read (`asShown`)
 */
export function edit(
  context: AppContext,
  path: string,
  handle: (request: ConsoleRequest, context: AppContext) => ReturnType<ConsoleRoute['handle']>,
): ConsoleRoute {
  return action(path, (request) => handle(request, asShown(context, request)));
}

/**
 * Returns a context whose stores write only what has not changed since the page of the form was read. Throws StaleVersion
 * if the form does not say which version that was; the stores throw it if there is a later one.
 */
export function asShown(context: AppContext, { form, session }: ConsoleRequest): AppContext {
  const given = form.get('version') ?? '';
  const version = /^\d{1,15}$/.test(given) ? Number(given) : Number.POSITIVE_INFINITY;
  if (version > session.version) {
    throw new StaleVersion(
      'The form does not say which version its page showed, so nothing was saved.',
    );
  }
  return { ...context, store: { ...context.store, ...context.store.unchangedSince(version) } };
}
