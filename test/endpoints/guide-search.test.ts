import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
});
afterAll(() => server?.close());

async function search(query: string) {
  const address = `${server.address}/docs/search?${query}`;
  let response = await fetch(address);
  // A busy machine may overload the node for a moment.
  await until(async () => {
    if (response.status !== 503) return true;
    response = await fetch(address);
    return false;
  }, query);
  return { status: response.status, text: await response.text() };
}

const resultsOf = (text: string) =>
  [...text.matchAll(/<li><a href="([^"]*#[^"]*)">(.*?)<\/a>/g)].map(([, href, name]) => ({
    href: href!,
    name: name!.replace(/<\/?mark>/g, ''),
  }));

describe('GET /docs/search', () => {
  it('finds sections by all of the words, the best first, and marks the words', async () => {
    const { status, text } = await search('q=rate_limited');
    expect(status).toBe(200);
    expect(resultsOf(text)[0]).toEqual({
      href: '../docs/errors#rate_limited',
      name: 'rate_limited',
    });
    expect(text).toContain('<mark>rate_limited</mark>');
    expect(text).toContain('value="rate_limited"');
  });

  it('finds words by their beginnings from three letters on, in any case', async () => {
    const [byPart, byWord] = await Promise.all([search('q=IDEMPOT'), search('q=idempotency')]);
    expect(resultsOf(byPart.text).length).toBeGreaterThan(3);
    expect(byPart.text).toMatch(/<mark>Idempot<\/mark>ency/i);
    expect(resultsOf(byWord.text).length).toBeGreaterThan(3);
  });

  it('ignores the words of a question, and puts guides before pages to look things up', async () => {
    const { text } = await search('q=How+do+I+renew+the+token');
    expect(resultsOf(text)[0]!.href).toBe('../docs/authentication#renew-the-token');
    expect(resultsOf((await search('q=rate+limit')).text)[0]!.href).toMatch(
      /^\.\.\/docs\/rate-limits#/,
    );
  });

  it('shows at most 20 sections', async () => {
    expect(resultsOf((await search('q=the')).text)).toHaveLength(20);
  });

  it('says that nothing was found, and shows the field without a query', async () => {
    expect((await search('q=xylophone+quagmire')).text).toContain('No guide contains all');
    for (const query of ['', 'q=', 'q=%20%20', 'q=%2B%2B', 'utm_source=mail']) {
      const { status, text } = await search(query);
      expect([status, text.includes('Enter one or more words.')]).toEqual([200, true]);
    }
  });

  it('escapes what it repeats', async () => {
    const { text } = await search(`q=${encodeURIComponent('"><script>alert(1)</script> & token')}`);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; token"');
    expect(text).not.toContain('<script');
    const { text: shown } = await search('q=audio+element');
    expect(shown).toMatch(/&lt;<mark>audio<\/mark>&gt;/);
  });

  it('takes signs of patterns, broken encodings and repeated parameters as text', async () => {
    for (const query of [
      'q=%5B(.*%2B',
      'q=%E0%A4%A',
      'q=token&q=other',
      'q=%00token',
      'q=a%7Cb%5C',
    ]) {
      expect((await search(query)).status).toBe(200);
    }
  });

  it('refuses more than 100 characters with a sentence', async () => {
    expect((await search(`q=${'a'.repeat(100)}`)).status).toBe(200);
    const { status, text } = await search(`q=${'a'.repeat(101)}`);
    expect([status, text.includes('A search has at most 100 characters.')]).toEqual([400, true]);
    expect(text).not.toContain('a'.repeat(101));
  });
});
