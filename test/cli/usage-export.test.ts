import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from '../contract/usage-support.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  storedText,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { trackId } from '../harness/stores.ts';

const OTHER = newId();
const USER = 'user-4711-of-the-client';
const TITLE = '=1+1 "Night",\nFerry';
const BATCH = newId();
const PLAYLIST = newId();
const CSV_HEADING =
  '\uFEFFClientId,Mode,Date,TrackId,Title,ISRC,UseType,TerritoryOfUseOrSale,NumberOfStreams,NumberOfDownloads,NumberOfSyncs,Seconds';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  const store = await openStoreOf(folder.path);
  await importAll(store, [delivery(0, { name: TITLE, isrc: 'QZES72400137' }), delivery(1)]);
  const cue = { startSeconds: 62, usage: 'BI' } as const;
  const events = [
    stream('a', 0, { userId: USER, country: 'DE', endReason: 'other', playlistId: PLAYLIST }),
    stream('b', 0, { country: 'DE', offline: true, seconds: 8 }),
    stream('c', 1, { type: 'download', seconds: null }),
    stream('d', 1, { type: 'sync', seconds: 31, production: { id: 'p', title: 'P' }, cue }),
    stream('e', 1, { occurredAt: NOW - DAY_MS }),
  ];
  await store.usage.report(report(events, { batchId: BATCH }));
  await store.usage.report(report([stream('a')], { mode: 'test' }));
  await store.usage.report(report([stream('a')], { clientId: OTHER }));
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

const days = (from: string, to = from) => ['--from', from, '--to', to];
const TODAY = days('2026-11-21');
const BOTH_DAYS = days('2026-11-20', '2026-11-21');

async function run(...args: string[]): Promise<string> {
  const ran = await stave(folder.path, ['usage', ...args]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout;
}

describe('stave usage export', () => {
  it('prints the sums as CSV, with any title', async () => {
    const quoted = '"\'=1+1 ""Night"",\nFerry"';
    const row = (track: number, cells: string) =>
      `${CLIENT},live,2026-11-21,${trackId(track)},${cells}`;
    expect((await run('export', ...TODAY, '--client', CLIENT)).split('\r\n')).toEqual([
      CSV_HEADING,
      row(0, `${quoted},QZES72400137,OnDemandStream,DE,2,0,0,50`),
      row(1, 'Track 1,,PermanentDownload,,0,1,0,0'),
      row(1, 'Track 1,,AsPerContract,,0,0,1,31'),
      '',
    ]);
  });

  it('prints the events as NDJSON', async () => {
    const text = await run('export', ...BOTH_DAYS, '--client', CLIENT, '--format', 'ndjson');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort((one, other) => (one.eventId < other.eventId ? -1 : 1));
    expect(events.map(({ eventId }) => eventId)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(events[0]).toEqual({
      clientId: CLIENT,
      mode: 'live',
      batchId: BATCH,
      eventId: 'a',
      type: 'stream',
      trackId: trackId(0),
      isrc: 'QZES72400137',
      occurredAt: '2026-11-21T09:00:00.000Z',
      receivedAt: '2026-11-21T10:00:00.000Z',
      seconds: 42,
      country: 'DE',
      playlistId: PLAYLIST,
      endReason: 'other',
      offline: false,
      licenseNumber: null,
      productionId: null,
      cue: null,
    });
    expect(events[2]).toMatchObject({ type: 'download', seconds: null, isrc: null, country: null });
    expect(events[3]).toMatchObject({
      type: 'sync',
      productionId: 'p',
      cue: { startSeconds: 62, usage: 'BI' },
    });
  });

  it('exports all clients, of one mode', async () => {
    const count = async (...args: string[]) =>
      (await run('export', ...BOTH_DAYS, '--format', 'ndjson', ...args)).split('\n').length - 1;
    expect(await count()).toBe(6);
    expect(await count('--mode', 'test')).toBe(1);
    expect(await count('--client', OTHER)).toBe(1);
    expect(await count('--client', OTHER, '--mode', 'test')).toBe(0);
  });

  it('writes a new file, and never an existing one', async () => {
    const path = folder.at('export.csv');
    const args = ['usage', 'export', ...TODAY, '--out', path];
    expect(await staveJson(folder.path, args)).toEqual({ file: path, format: 'csv' });
    expect(readFileSync(path, 'utf8')).toBe(await run('export', ...TODAY));
    writeFileSync(path, 'mine');
    const again = await stave(folder.path, args);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toBe(`stave: ${path} exists already: name another file\n`);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('never shows or stores the id of a user', async () => {
    for (const format of ['csv', 'ndjson']) {
      const ran = await stave(folder.path, ['usage', 'export', ...TODAY, '--format', format], {
        env: { STAVE_LOG_LEVEL: 'trace' },
      });
      expect(ran.stdout.length).toBeGreaterThan(100);
      expect(ran.stdout + ran.stderr).not.toContain(USER);
    }
    expect(await storedText(folder.path)).not.toContain(USER);
    if (existsSync(folder.at('stave.db-wal'))) {
      expect(readFileSync(folder.at('stave.db-wal')).includes(USER)).toBe(false);
    }
  });
});

describe('stave usage summary', () => {
  it('adds up each client', async () => {
    const summary = await staveJson(folder.path, ['usage', 'summary', ...BOTH_DAYS]);
    const own = { streams: 3, downloads: 1, syncs: 1, seconds: 123 };
    const other = { streams: 1, downloads: 0, syncs: 0, seconds: 42 };
    const items = [
      { clientId: CLIENT, clientName: null, ...own },
      { clientId: OTHER, clientName: null, ...other },
    ].sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
    const totals = { streams: 4, downloads: 1, syncs: 1, seconds: 165 };
    expect(summary).toEqual({ items, totals });
    const shown = await run('summary', ...BOTH_DAYS, '--client', OTHER);
    expect(shown).toContain(`${OTHER}  1        0          0      42`);
    const nothing = await run('summary', ...days('2026-11-01', '2026-11-19'));
    expect(nothing).toBe('nothing was reported\n');
  });
});

describe('stave usage', () => {
  const RANGE = '--from must not be after --to';
  const DAY = 'It must be a day such as 2026-01-31.';
  const unknown = newId();
  it.each([
    [days('2026-11-22', '2026-11-21'), RANGE],
    [days('2026-02-30'), 'There is no 2026-02-30.'],
    [days('2026-11-21T00:00:00Z'), DAY],
    [days('yesterday'), DAY],
    [days(''), DAY],
    [['--from', '2026-11-21'], "required option '--to <day>' not specified"],
    [[...TODAY, '--mode', 'both'], 'Allowed choices are test, live.'],
    [[...TODAY, '--client', ''], 'It must not be empty.'],
    [[...TODAY, '--client', unknown], `There is no client ${unknown}`],
  ])('refuses %j', async (args, message) => {
    for (const name of ['export', 'summary']) {
      const ran = await stave(folder.path, ['usage', name, ...args]);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
      expect(ran.stderr).toContain(message);
    }
  });

  it.each([
    [['--format', 'xml'], 'Allowed choices are csv, ndjson.'],
    [['--out', ''], 'It must not be empty.'],
    [['--out', '/nonexistent/a.csv'], '/nonexistent/a.csv: no such file or folder'],
    [['--json'], '--json needs --out'],
  ])('export refuses %j', async (args, message) => {
    const ran = await stave(folder.path, ['usage', 'export', ...TODAY, ...args]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(message);
  });

  it('exports nothing of a client that has not reported', async () => {
    const { clientId } = await staveJson(folder.path, [
      ...['clients', 'create', '--name', 'New', '--scopes', 'tracks'],
    ]);
    expect(await run('export', ...TODAY, '--client', clientId)).toBe(`${CSV_HEADING}\r\n`);
    expect(await run('export', ...TODAY, '--client', clientId, '--format', 'ndjson')).toBe('');
  });
});

describe('stave usage purge', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

  it('refuses days that must be kept, and deletes them with --force', async () => {
    using own = temporaryFolder();
    const store = await openStoreOf(own.path);
    await importAll(store, [delivery(0)]);
    const yesterday = stream('a', 0, { occurredAt: Date.now() - DAY_MS });
    await store.usage.report(report([yesterday], { receivedAt: Date.now() }));
    await store.close();
    const purge = (...args: string[]) => stave(own.path, ['usage', 'purge', ...args]);
    const refused = await purge('--before', daysAgo(398));
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^stave: --before must not be after \d{4}-\d\d-\d\d, because usage is kept for 400 days; --force deletes newer usage, too\n$/,
    );
    const before = daysAgo(401);
    const none = await purge('--before', before);
    expect(none.stdout).toBe(`Deleted 0 events and 0 productions of before ${before}.\n`);
    const forced = await purge('--before', daysAgo(-1), '--force', '--json');
    expect(forced.json).toEqual({ before: daysAgo(-1), events: 1, productions: 0 });
  });

  it.each([
    [[], "required option '--before <day>' not specified"],
    [['--before', '2025-02-30'], 'There is no 2025-02-30.'],
    [['--before', ''], 'It must be a day such as 2026-01-31.'],
  ])('refuses %j', async (args, message) => {
    const ran = await stave(folder.path, ['usage', 'purge', ...args]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});
