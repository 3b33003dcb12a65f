import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { asClient } from '../contract/collections-support.ts';
import { openStoreOf, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { certifier, LICENSEE, newQuote } from '../harness/licensing.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { until } from '../harness/until.ts';
import { serveConsole } from './console-client.ts';

it('shows the statements of clients for a range of months, and the sources of the catalog', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await writeFile(folder.at('tracks.ndjson'), someTracks(2));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  await publishCardFile(data, folder);
  const { clientId } = await staveJson(data, [
    'clients',
    'create',
    '-n',
    'Für <b>',
    '-s',
    'tracks',
  ]);
  const store = await openStoreOf(data);
  const buyer = asClient(clientId);
  const now = systemClock.now();
  const { id: quoteId } = await newQuote(store, buyer, now, { names: ['track-1'] });
  const request = { quoteId, termsVersion: '2026-1', licensee: LICENSEE };
  const issue = { certify: certifier() };
  const { license } = await store.issuedLicenses.issue(request, issue, buyer);
  await store.close();
  const month = new Date(now).toISOString().slice(0, 7);
  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();

  for (const path of ['/quotes', '/licenses', `/licenses/${license.number}`]) {
    expect((await client.get(path)).text).toContain(
      `<a href="/clients/${clientId}">Für &lt;b&gt;</a>`,
    );
  }
  expect((await client.get('/log')).text).toContain(' (Für &lt;b&gt;)</td>');
  for (const path of ['/', `/clients/${clientId}`]) {
    const { text } = await client.get(path);
    expect(text).toContain(`<input type="month" name="from" value="${month}"`);
  }
  const range = `from=2026-01&to=${month}`;
  const all = await client.get(`/statements?${range}`);
  expect(all.text).toContain(
    `<a href="/clients/${clientId}/statement?from=2026-01&amp;to=${month}">Für &lt;b&gt;</a>`,
  );
  expect(all.text).toContain('100.00 EUR');
  const to = `/clients/${clientId}/statement`;
  const own = await client.get(`${to}?${range}`);
  expect(own.text).toContain(license.number);
  expect(own.text).toContain(`because ${month} is not over`);
  expect(own.text).toContain(`href="${to}.pdf?from=2026-01&amp;to=${month}"`);

  const csv = await client.get(`${to}.csv?${range}`);
  expect(csv.headers.get('content-disposition')).toContain('attachment; filename="Statement_of_F');
  expect(csv.text).toContain(`${license.number},`);
  const pdf = await client.get(`${to}.pdf?${range}`);
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect(pdf.text).toMatch(/^%PDF-1/);
  expect((await client.get(`/statements.csv?${range}`)).text).toContain('100.00 EUR');
  const refused = await client.get('/statements?from=2026-13');
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is no month')]);

  expect((await client.get('/catalog')).text).toContain('The count reads all tracks');
  await client.submit('/catalog');
  await until(async () => /label-a[\s\S]*2/.test((await client.get('/catalog')).text));
  expect((await client.get('/catalog')).text).toContain('Without ISRC');
});
