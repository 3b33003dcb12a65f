import { hash } from 'node:crypto';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/common/errors.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
});
afterAll(() => server?.close());

async function get(path: string) {
  let response = await fetch(new URL(path, server.address));
  // A busy machine may overload the node for a moment.
  await until(async () => {
    if (response.status !== 503) return true;
    response = await fetch(new URL(path, server.address));
    return false;
  }, path);
  return { response, status: response.status, text: await response.text() };
}

/** Returns the addresses that a page links to, resolved as a browser does. */
function linksOf(text: string, path: string): string[] {
  return [...text.matchAll(/(?:href|src|action)="([^"]+)"/g)].map(
    ([, href]) => new URL(href!.replaceAll('&amp;', '&'), server.address + path).href,
  );
}

/** Returns the links of a text in Markdown. */
function markdownLinks(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href]) => href!);
}

const idsOf = (text: string) => [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);

/** Requests every page that can be reached from the start page by links, and returns their texts by path. */
async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { response, status, text } = await get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    pages.set(path, text);
    if (!response.headers.get('content-type')!.startsWith('text/html')) continue;
    for (const link of linksOf(text, path)) {
      const { origin, pathname } = new URL(link);
      if (origin === server.address) waiting.push(pathname);
    }
  }
  return pages;
}

describe('the guides', () => {
  it('link only to pages and headings that exist', async () => {
    const pages = await crawl();
    expect(pages.size).toBeGreaterThan(100);
    const broken: string[] = [];
    for (const [path, text] of pages) {
      if (!text.startsWith('<!doctype html>')) continue;
      for (const link of linksOf(text, path)) {
        const { origin, pathname, hash } = new URL(link);
        if (origin !== server.address || hash === '') continue;
        if (!idsOf(pages.get(pathname)!).includes(decodeURIComponent(hash.slice(1)))) {
          broken.push(`${path}: ${link}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  it('have headings with different ids, and one title that the navigation names', async () => {
    const pages = await crawl();
    for (const [path, text] of pages) {
      if (!text.includes('aria-label="Guides"')) continue;
      const ids = idsOf(text);
      expect({ path, ids }).toEqual({ path, ids: [...new Set(ids)] });
      expect(text.match(/<h1/g)).toHaveLength(1);
    }
  });

  it('load nothing of other origins and run no script', async () => {
    const { response, text } = await get('/docs/getting-started');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(/<script|style="|src="/);
    for (const [, address] of text.matchAll(/(?:href|action)="([^"]+)"/g)) {
      // A proxy may serve these pages under a path.
      expect(address).not.toMatch(/^\//);
    }
  });

  it('are served as Markdown, too, without comments and with absolute links that exist', async () => {
    const { text: page } = await get('/docs/getting-started');
    expect(page).toContain(
      '<link rel="alternate" type="text/markdown" href="../docs/getting-started.md">',
    );
    const pages = await crawl();
    const texts = [...pages].filter(([path]) => path.endsWith('.md'));
    expect(texts.length).toBeGreaterThan(50);
    const linked = new Set<string>();
    for (const [path, text] of texts) {
      expect({ path, text }).toEqual({ path, text: expect.stringMatching(/^# \S/) });
      for (const link of markdownLinks(text)) {
        expect({ path, link }).toEqual({ path, link: expect.stringMatching(/^(https?:|#)/) });
        if (link.startsWith(server.address)) linked.add(new URL(link).pathname);
      }
    }
    for (const path of linked) expect(path === '/openapi.json' || pages.has(path), path).toBe(true);
    const { response } = await get('/docs/getting-started.md');
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  });

  it.each([
    '/docs',
    '/docs/guides.css',
    '/docs/errors',
    '/docs/contract/errors.md',
    '/llms.txt',
    '/openapi.json',
  ])('%s is sent once, compressed, to a caller that keeps it', async (path) => {
    await get(path);
    const tags: unknown[] = [];
    for (const coding of ['gzip', 'identity']) {
      const asked = { 'Accept-Encoding': coding };
      const { status, headers, body } = await server.http.send('GET', path, asked);
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe(coding === 'gzip' ? 'gzip' : undefined);
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers.vary).toContain('Accept-Encoding');
      const plain = coding === 'gzip' ? gunzipSync(body) : body;
      expect(headers.etag).toContain(hash('sha256', plain));
      const known = { ...asked, 'If-None-Match': headers.etag! };
      const again = await server.http.send('GET', path, known);
      expect([again.status, again.body.length]).toEqual([304, 0]);
      tags.push(headers.etag);
    }
    expect(tags[0]).not.toBe(tags[1]);
  });

  it.each([
    '/docs/none',
    '/docs/none.md',
    '/docs/.md',
    '/docs/contract/none',
    '/docs/..%2fpackage.json',
    '/docs/reference/x/y',
  ])('respond to %s with an enveloped 404', async (path) => {
    const { status, text } = await get(path);
    expect([status, JSON.parse(text).error.type]).toEqual([404, 'not_found']);
  });
});

describe('/llms.txt', () => {
  it('lists every guide in the form of llmstxt.org', async () => {
    const { response, text } = await get('/llms.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# Stave\n\n> \S[^#]*\n## First steps\n\n- \[Getting started\]\(/);
    const links = markdownLinks(text);
    const served = [...(await crawl()).keys()].filter((path) => path.endsWith('.md'));
    expect(links.map((link) => new URL(link).pathname).sort()).toEqual(
      [...served, '/openapi.json'].sort(),
    );
  });
});

describe('the errors guide', () => {
  it('has a section with status, cause and cure for each kind, to which docs leads', async () => {
    const { text } = await get('/docs/errors.md');
    const sections = new Map(
      text.split(/^### /m).map((section) => [section.split('\n', 1)[0]!, section]),
    );
    for (const [kind, { status }] of Object.entries(ERROR_KINDS)) {
      const section = sections.get(kind) ?? '';
      expect({ kind, section }).toEqual({
        kind,
        section: expect.stringMatching(
          new RegExp(
            `^${kind}\n\nStatus ${status}\\b.*\n\n\\*\\*Cause\\.\\*\\* \\S.*\n\n\\*\\*Cure\\.\\*\\* \\S`,
            's',
          ),
        ),
      });
    }
    expect(idsOf((await get('/docs/errors')).text)).toEqual(
      expect.arrayContaining(Object.keys(ERROR_KINDS)),
    );
    const refused = JSON.parse((await get('/v1/tracks')).text);
    expect(refused.error.docs).toBe(`${server.address}/docs/errors#invalid_token`);
  });
});

it('takes the base of absolute links from the public address', async () => {
  const publicUrl = 'https://music.example.com/api';
  const behindProxy = await startTestServer({ tracks: [], config: { publicUrl } });
  try {
    const text = async (path: string) => (await fetch(behindProxy.address + path)).text();
    await behindProxy.until(async () => (await text('/docs/errors.md')).startsWith('# Errors'));
    expect(await text('/docs/errors.md')).toContain(`](${publicUrl}/docs/retrying.md)`);
    expect(await text('/llms.txt')).toContain(`](${publicUrl}/docs/errors.md)`);
    const { error } = JSON.parse(await text('/v1/none'));
    expect(error.docs).toBe(`${publicUrl}/docs/errors#not_found`);
    // The bytes of the parser's errors are made elsewhere.
    const port = Number(new URL(behindProxy.address).port);
    const socket = connect(port, '127.0.0.1').end('no HTTP\r\n\r\n');
    let answer = '';
    for await (const part of socket.setEncoding('utf8')) answer += part;
    expect(answer).toContain(`"docs":"${publicUrl}/docs/errors#invalid_request"}}`);
  } finally {
    await behindProxy.close();
  }
});
