import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { RequestFailed, Stave } from '../mirror/stave.ts';

const page = (name: string) => new URL(`./page/${name}`, import.meta.url);
const wavesurfer = new URL(import.meta.resolve('wavesurfer.js/dist/wavesurfer.esm.js'));
const peaks = new URL(import.meta.resolve('peaks.js/dist/peaks.min.js'));
/** All files that the page loads from this server. */
const FILES: Record<string, readonly [file: URL, type: string]> = {
  '/': [page('index.html'), 'text/html'],
  '/style.css': [page('style.css'), 'text/css'],
  ...Object.fromEntries(
    ['player', 'row', 'closeup', 'color', 'sound', 'tracks'].map((name) => [
      `/${name}.js`,
      [page(`${name}.js`), 'text/javascript'] as const,
    ]),
  ),
  '/lib/wavesurfer.js': [wavesurfer, 'text/javascript'],
  '/lib/peaks.js': [peaks, 'text/javascript'],
};
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The request of the API that a path of this server stands for. The page can make no other. */
function apiPath({ pathname, searchParams }: URL): string | undefined {
  const [, id] = /^\/tracks\/(.*)$/.exec(pathname) ?? [];
  if (id !== undefined) return UUID.test(id) ? `/v1/tracks/${id}` : undefined;
  if (pathname !== '/tracks') return undefined;
  const query = new URLSearchParams({ pageSize: '12', page: searchParams.get('page') ?? '1' });
  const search = searchParams.get('search');
  if (search) {
    query.set('search', search);
    query.set('in', 'name,artists,tags');
  }
  return `/v1/tracks?${query}`;
}

/** Sends a request again whose token had ended early. */
async function ask(path: string): Promise<unknown> {
  return stave.json(path).catch((error) => {
    if (!(error instanceof RequestFailed && error.status === 0)) throw error;
    return stave.json(path);
  });
}

/** What the page learns of a failure. An error of the credentials is none of its business. */
function failure(error: unknown): readonly [status: number, headers: Record<string, string>] {
  const { status = 0, retryAfter = null } = error instanceof RequestFailed ? error : {};
  if (status !== 404) console.error(`${error}`);
  return [
    [400, 404, 429, 503].includes(status) ? status : 502,
    retryAfter === null ? {} : { 'retry-after': retryAfter },
  ];
}

const { STAVE_URL, STAVE_CLIENT_ID, STAVE_CLIENT_SECRET, PORT } = process.env;
const stave = new Stave(STAVE_URL ?? 'http://127.0.0.1:8080', {
  client_id: STAVE_CLIENT_ID,
  client_secret: STAVE_CLIENT_SECRET,
  // No more than the page needs, whatever else the client may do.
  scope: 'tracks previews',
});
const server = createServer(async (request, response) => {
  try {
    const url = new URL(request.url!, 'http://localhost');
    const path = apiPath(url);
    const [file, type] = FILES[url.pathname] ?? [];
    if (path !== undefined) {
      const body = JSON.stringify(await ask(path));
      // Its URLs expire.
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      response.writeHead(200, headers).end(body);
    } else if (file !== undefined) {
      const body = await readFile(file);
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    } else {
      response.writeHead(404).end();
    }
  } catch (error) {
    response.writeHead(...failure(error)).end();
  }
});
const me = (await ask('/v1/me')) as { clientId: string; features: string[] };
if (!me.features.includes('previews')) {
  console.error(`Run: bin/stave clients update ${me.clientId} --enable-features previews`);
  process.exit(1);
}
server.listen(Number(PORT ?? 3_000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${PORT ?? 3_000}/`);
});
