import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StaveApiError, StaveClient } from '#client';

const { STAVE_URL = 'http://127.0.0.1:8080', STAVE_CLIENT_ID, STAVE_CLIENT_SECRET } = process.env;
const PORT = Number(process.env.PORT ?? 3_000);
/** The address at which people open the editor. */
const ORIGIN = process.env.EDITOR_ORIGIN ?? `http://127.0.0.1:${PORT}`;
/** So short that a copied token is soon useless. The picker renews it. */
const TOKEN_SECONDS = Number(process.env.TOKEN_SECONDS ?? 600);

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['index.html', 'text/html'],
  '/editor.js': ['editor.js', 'text/javascript'],
  '/style.css': ['style.css', 'text/css'],
};

const stave = new StaveClient({
  baseUrl: STAVE_URL,
  clientId: STAVE_CLIENT_ID!,
  clientSecret: STAVE_CLIENT_SECRET!,
});

/** Who is signed in. An editor has its own sign-in; here, everybody who opens the page is a user of the cookie. */
function userOf({ headers }: IncomingMessage): string | undefined {
  return /(?:^|; )editor-user=([\w-]{1,64})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
}

/** The token endpoint of the picker: only for users who are signed in, and only from pages of the editor. */
async function sendToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const user = userOf(request);
  if (request.headers.origin !== ORIGIN || user === undefined) {
    response.writeHead(403).end();
    return;
  }
  const token = await stave.createBrowserToken({
    origins: [ORIGIN],
    expiresIn: TOKEN_SECONDS,
    user,
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(200, headers).end(JSON.stringify(token));
}

async function sendFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = FILES[request.url!.split('?', 1)[0]!];
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  const [name, type] = file;
  const text = await readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');
  const api = new URL(STAVE_URL).origin;
  response
    .writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': `default-src 'self'; script-src 'self' ${api}; connect-src 'self' ${api}; img-src 'self' data: ${api}; media-src ${api}; base-uri 'none'; frame-ancestors 'none'`,
      ...(userOf(request) === undefined && {
        'set-cookie': `editor-user=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict`,
      }),
    })
    .end(text.replaceAll('{{stave}}', STAVE_URL.replace(/\/$/, '')));
}

const server = createServer(async (request, response) => {
  try {
    const isToken = request.method === 'POST' && request.url === '/stave-token';
    await (isToken ? sendToken(request, response) : sendFile(request, response));
  } catch (error) {
    console.error(`${error}`);
    // The page learns how long it has to wait, but nothing of the credentials.
    const status = error instanceof StaveApiError && error.status === 429 ? 429 : 502;
    response.writeHead(status).end();
  }
});
server.listen(PORT, '127.0.0.1', () => console.log(`${ORIGIN}/`));
