import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { someTracks, stave, temporaryFolder } from '../harness/cli.ts';
import { serveConsole } from './console-client.ts';

it('shows tracks page by page, and those that changed last before a search', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await writeFile(folder.at('tracks.ndjson'), someTracks(120));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  await stave(data, ['tracks', 'takedown', 'track-7', '--reason', 'claim']);
  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();
  const page = async (path: string) => {
    const { status, text } = await client.get(path);
    expect(status, path).toBe(200);
    const main = text.slice(text.indexOf('<main'));
    return {
      text: main,
      count: main.match(/href="\/tracks\//g)?.length ?? 0,
      links: [...main.matchAll(/href="([^"]*)" rel="(\w+)"/g)].map(([, to, rel]) => [rel, to]),
    };
  };
  const first = await page('/tracks');
  expect(first.text).toMatch(
    /Changed last[\s\S]*href="\/tracks\/[\w-]+">track-7<\/a><\/td><td>taken down/,
  );

  const found = await page('/tracks?q=track');
  expect(found).toMatchObject({ count: 50, links: [['next', '/tracks?q=track&amp;page=2']] });
  const last = await page('/tracks?q=track&page=3');
  expect(last).toMatchObject({ count: 20, links: [['prev', '/tracks?q=track&amp;page=2']] });
  expect(await page('/tracks?source=label-a')).toMatchObject({ count: 50 });
  expect(await page('/tracks?state=taken_down')).toMatchObject({ count: 1, links: [] });
  for (const path of ['/quotes?page=2', '/licenses?page=2&mode=live']) {
    const [[rel, to] = []] = (await page(path)).links;
    expect([rel, to]).toEqual(['prev', path.replace('page=2', 'page=1').replace('&', '&amp;')]);
  }
  const log = await page('/log?by=somebody&reason=claim');
  expect(log.text).toMatch(/name="by" value="somebody"[\s\S]*name="reason" value="claim"/);
  // A number that is no page is the first one.
  for (const number of ['0', '-1', 'x', '1e9', '2001']) {
    expect((await page(`/tracks?q=track&page=${number}`)).count).toBe(50);
  }
});
