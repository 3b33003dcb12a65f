import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { asClient } from '../contract/collections-support.ts';
import { openStoreOf, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { certifier, LICENSEE, newQuote } from '../harness/licensing.ts';
import { publishCardFile } from '../harness/published-card.ts';

const folder = temporaryFolder();
const data = folder.at('data');
const month = new Date(systemClock.now()).toISOString().slice(0, 7);
let clientId: string;
let number: string;
beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(2));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  await publishCardFile(data, folder);
  const made = await staveJson(data, ['clients', 'create', '-n', 'Für Film', '-s', 'tracks']);
  clientId = made.clientId;
  const store = await openStoreOf(data);
  const buyer = asClient(clientId);
  const now = systemClock.now();
  const given = { names: ['track-1'], project: { name: '=Spot\u0007' } };
  const { id: quoteId } = await newQuote(store, buyer, now, given);
  await newQuote(store, buyer, now, given);
  const request = { quoteId, termsVersion: '2026-1', licensee: LICENSEE };
  const issue = { certify: certifier() };
  number = (await store.issuedLicenses.issue(request, issue, buyer)).license.number;
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

const PARTNER = ['report', 'partner', 'für film', '--month', month];

describe('stave report partner', () => {
  it('shows the statement of an open month, by the name of the client', async () => {
    const { code, stdout } = await stave(data, PARTNER);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Statement of Für Film\nClient id {2}/);
    expect(stdout).toMatch(new RegExp(`^Until .* UTC, because ${month} is not over$`, 'm'));
    expect(stdout).toContain('\n\nReported usage\nno usage\n\n');
    expect(stdout).toMatch(/^EUR {7}1 {9}100\.00 {2}0 +0\.00$/m);
    expect(stdout).toMatch(
      new RegExp(`^${number} .* active +Lighthouse Film +=Spot\uFFFD +1 `, 'm'),
    );
    expect(stdout).toMatch(/\n\nOpen quotes\nQUOTE .*\n[^\n]*100\.00 +EUR\n$/s);
  });

  it('prints amounts in minor units for scripts, and tables as CSV', async () => {
    const statement = await staveJson(data, PARTNER);
    expect(statement).toMatchObject({
      ...{ clientId, clientName: 'Für Film', from: month, to: month, isOpen: true },
      revenue: [{ currency: 'EUR', licenses: 1, amountMinor: 10_000, revoked: 0, revokedMinor: 0 }],
      licenses: [{ number, amountMinor: 10_000, minorUnit: 2, currency: 'EUR', revokedAt: null }],
      quotes: [{ status: 'open', project: { name: '=Spot\u0007' }, amountMinor: 10_000 }],
      quoteCount: 1,
    });
    const { stdout } = await stave(data, [...PARTNER, '--csv']);
    expect(stdout).toContain(
      '\nCURRENCY,LICENSES,AMOUNT,OF THEM REVOKED,REVOKED AMOUNT\nEUR,1,100.00,0,0.00\n',
    );
    expect(stdout).toContain(',"\'=Spot\uFFFD",1,100.00,EUR\n');
  });

  it('writes CSV for people, and a PDF', async () => {
    const csv = folder.at('statement.csv');
    expect(await staveJson(data, [...PARTNER, '--out', csv])).toEqual({ file: csv });
    const text = readFileSync(csv, 'utf8');
    expect(text.startsWith('\uFEFFStatement of Für Film\r\nClient id,')).toBe(true);
    expect(text).toContain('\r\n\r\n"Revenue, net of tax"\r\nCurrency,Licenses,');
    const pdf = folder.at('statement.pdf');
    const { stdout } = await stave(data, [...PARTNER, '--out', pdf]);
    expect(stdout).toBe(`wrote ${pdf}\n`);
    expect(readFileSync(pdf, 'latin1')).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
    const again = await stave(data, [...PARTNER, '--out', pdf]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
  });

  it('is empty for a closed month without anything', async () => {
    const args = ['report', 'partner', clientId, '--month', '2020-01', '--to', '2020-03'];
    const { code, stdout } = await stave(data, args);
    expect(code).toBe(0);
    expect(stdout).toContain('2020-01 to 2020-03, in UTC');
    expect(stdout).not.toContain('Until');
    expect(stdout).toContain('The counts of days more than 13 months ago are deleted.');
    const { isOpen, until } = await staveJson(data, args);
    expect([isOpen, until]).toEqual([false, '2020-03-31T23:59:59.999Z']);
  });

  it.each([
    [['--month', '2026-13'], '"2026-13" is no month: write it as 20'],
    [['--month', 'x'], '"x" is no month'],
    [['--month', '9999-01'], 'the month 9999-01 has not begun'],
    [
      ['--month', '2020-02', '--to', '2020-01'],
      'the last month, 2020-01, is before the first, 2020-02',
    ],
    [['--month', '2000-01', '--to', month], '120 months at most'],
    [['--month', month, '--out', 'x.txt'], '--out must end in .pdf or .csv, not "x.txt"'],
    [['--month', month, '--out', 'x.csv', '--csv', '--json'], 'cannot be used with'],
    [[], "required option '--month <month>' not specified"],
  ])('refuses %j', async (args, problem) => {
    const { code, stdout, stderr } = await stave(data, ['report', 'partner', clientId, ...args]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(problem)]);
  });

  it('refuses a client that does not exist', async () => {
    const { code, stderr } = await stave(data, ['report', 'partner', 'Für Filn', '--month', month]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no client Für Filn')]);
  });
});

describe('stave report catalog', () => {
  it('counts the tracks of each source', async () => {
    const { stdout } = await stave(data, ['report', 'catalog', '--csv']);
    expect(stdout).toBe(
      'SOURCE,TRACKS,WITHOUT AUDIO,WITHOUT ISRC,WITHOUT ARTWORK,DUPLICATES,COMING SWITCHES,NEXT SWITCH,TAKEN DOWN\n' +
        'label-a,2,2,2,2,0,0,,0\n',
    );
    const [counts] = await staveJson(data, ['report', 'catalog']);
    expect(counts).toMatchObject({ source: 'label-a', tracks: 2, nextSwitchAt: null });
    const { stdout: text } = await stave(folder.at('empty'), ['report', 'catalog']);
    expect(text).toMatch(/\n\nSources\nthere are no tracks\n$/);
  });
});
