import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StaveError } from '../../../common/errors.ts';
import { StaleVersion } from '../../../engines/change-log/change-log.ts';
import { actorOf } from '../../../features/access/operator.ts';
import { answer, errorPage, isRefusal, problemOf, statusOf } from '../pages/answers.ts';
import { html } from '../pages/html.ts';
import {
  type ConsoleDependencies,
  type ConsoleRequest,
  type ConsoleRoute,
  checkToken,
  formOf,
  type Page,
  type RefusedForm,
} from '../pages/page.ts';
import { conflictText, sentValues } from '../pages/parts.ts';
import { leastRole } from './roles.ts';

/** The version of a page is the end of the change log. */
export function addRoutes(
  app: FastifyInstance,
  routes: readonly ConsoleRoute[],
  deps: ConsoleDependencies,
): void {
  const pages = new Map(
    routes.filter(({ method }) => method === 'GET').map((route) => [route.path, route]),
  );
  for (const route of routes) {
    const { method, path, isUpload = false } = route;
    const above = method === 'POST' ? pageAbove(pages, path) : undefined;
    app.route({
      method,
      url: path,
      config: { isUpload, least: leastRole(method, path) },
      handler: (request, reply) => handle(route, { above, deps, request, reply }),
    });
    // A browser that loads the page of a refused form again asks for the path of the form.
    if (above !== undefined && !pages.has(path)) {
      const config = { least: leastRole('GET', above.path) };
      app.get(path, { config }, (request, reply) => reply.redirect(pathAbove(above, request), 303));
    }
  }
}

/** Returns the page of a form: its path is the longest one with which the path of the form begins. */
function pageAbove(pages: ReadonlyMap<string, ConsoleRoute>, path: string): ConsoleRoute {
  const parts = path.split('/');
  for (let count = parts.length; count > 1; count--) {
    const found = pages.get(parts.slice(0, count).join('/'));
    if (found !== undefined) return found;
  }
  throw new Error(`the form ${path} has no page`);
}

/** Returns the path of the page of a form, with the parameters of the request. */
function pathAbove({ path }: ConsoleRoute, request: FastifyRequest): string {
  const parts = request.url.split('?')[0]!.split('/');
  return parts.slice(0, path.split('/').length).join('/');
}

interface Handling {
  /** The page of a form; undefined for a page. */
  above: ConsoleRoute | undefined;
  deps: ConsoleDependencies;
  request: FastifyRequest;
  reply: FastifyReply;
}

async function handle(
  route: ConsoleRoute,
  { above, deps, request, reply }: Handling,
): Promise<FastifyReply> {
  const session = request.session!;
  const { csrf, role } = session;
  const given: ConsoleRequest = {
    ...deps,
    context: { ...deps.context, by: actorOf(session) },
    // The version is read first, so the page shows nothing that is older.
    session: { csrf, role, version: await deps.context.store.changes.head() },
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.url.split('?')[1] ?? ''),
    form: formOf(request),
    raw: request.raw,
  };
  try {
    if (above !== undefined && route.isUpload !== true) checkToken(given.form, session);
    return answer(await route.handle(given), { request, reply, session });
  } catch (error) {
    if (above === undefined || !isRefusal(error)) throw error;
    const page = await pageOfRefused(above, { given, request, error });
    if (error instanceof StaveError) reply.headers(error.headers);
    return answer(page, { request, reply, session });
  }
}

/** Returns the page of a refused form with the reason and the sent values; only these two if the page fails. */
async function pageOfRefused(
  above: ConsoleRoute,
  {
    given,
    request,
    error,
  }: {
    given: ConsoleRequest;
    request: FastifyRequest;
    error: Parameters<typeof problemOf>[0];
  },
): Promise<Page> {
  const problem = problemOf(error);
  const status = statusOf(error);
  const to = request.url.split('?')[0]!;
  const conflict = error instanceof StaleVersion ? error : undefined;
  const refused: RefusedForm = { to, fields: given.form, problem, conflict, isShown: false };
  const query = queryBefore(request, pathAbove(above, request));
  const read = async () => {
    const session = {
      ...given.session,
      version: await given.context.store.changes.head(),
      refused,
    };
    return above.handle({ ...given, session, query, form: new URLSearchParams() });
  };
  const shown = await read().catch(() => undefined);
  if (shown === undefined || !('main' in shown)) {
    return errorPage(status, html`<p>${problem}</p>${sentValues(given.form)}`);
  }
  const text =
    conflict === undefined
      ? problem
      : html`<p>${conflictText(refused)}</p>${sentValues(given.form)}`;
  return {
    ...shown,
    title: `Error: ${shown.title}`,
    status,
    ...(!refused.isShown && { problem: text }),
  };
}

/** Returns the query of the page that sent a form, such as the number of a page of a list. */
function queryBefore({ headers }: FastifyRequest, path: string): URLSearchParams {
  const from = URL.parse(headers.referer ?? '');
  return from?.pathname === path ? from.searchParams : new URLSearchParams();
}
