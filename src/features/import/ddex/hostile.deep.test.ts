import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportBench, openImportBench } from '../../../../test/harness/import-bench.ts';
import { deal, dealList, ern38, ern43, purge, recording43 } from './ern.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const many = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

describe('a message with more than a message has', () => {
  const party = (i: number) => `<Party><PartyReference>P${i}</PartyReference></Party>`;
  const deals = many(40, () => deal());
  const references = many(26_000, (i) => `<DealReleaseReference>R${i}</DealReleaseReference>`);
  const image = '<Image><ResourceReference>I</ResourceReference></Image>';
  const release = '<Release><ReleaseReference>R</ReleaseReference></Release>';
  it.each([
    [
      'sound recordings',
      'more than 5000 sound recordings',
      () => ern43({ recordings: [many(5_001, () => '<SoundRecording/>')] }),
    ],
    ['images', 'more than 1000 images', () => ern43({ images: many(1_001, () => image) })],
    ['parties', 'more than 20000 parties', () => ern43({ parties: many(20_001, party) })],
    ['releases', 'more than 6000 releases', () => ern43({ releases: many(6_001, () => release) })],
    [
      'deals of releases',
      'more than 1000000 deals',
      () =>
        ern43({ deals: `<DealList><ReleaseDeal>${references}${deals}</ReleaseDeal></DealList>` }),
    ],
    [
      'elements',
      'a SoundRecording has more than 100000 elements',
      () => ern43({ recordings: [recording43({ more: many(100_001, () => '<a/>') })] }),
    ],
    [
      'text',
      'a SoundRecording has more than 4 Mi characters',
      () =>
        ern43({
          recordings: [recording43({ more: many(500, () => `<a>${'x'.repeat(9_000)}</a>`) })],
        }),
    ],
    [
      'purges',
      'more than 6000 purged releases',
      () =>
        purge(
          '</ReleaseId></PurgedRelease>'.concat(
            many(6_001, () => '<PurgedRelease/>'),
            '<PurgedRelease><ReleaseId>',
          ),
        ),
    ],
  ])(
    '(%s) is refused with its line',
    async (_, reason, message) => {
      const path = await bench.write('a.xml', message());
      const { summary, rejections } = await bench.run([path]);
      expect(rejections).toEqual([
        {
          file: path,
          line: expect.any(Number),
          field: '',
          reason: expect.stringContaining(reason),
        },
      ]);
      expect(summary).toMatchObject({ read: 0, rejected: 1 });
    },
    60_000,
  );
});

describe('a message with random damage', () => {
  const preview = '<PreviewDetails><StartPoint>30</StartPoint></PreviewDetails>';
  const file = `${preview}<File><FileName>1.wav</FileName><FilePath>resources/</FilePath></File>`;
  const period =
    '<ValidityPeriod><StartDate>2026-01-01</StartDate><EndDateTime>2030-01-01T00:00:00Z</EndDateTime></ValidityPeriod>';
  const terms = `<TerritoryCode>DE</TerritoryCode><ExcludedTerritoryCode>US</ExcludedTerritoryCode>${period}`;
  const messages = [
    ern43({ recordings: [recording43({ file: 'resources/1.wav' })], deals: dealList(deal(terms)) }),
    ern38({
      file,
      deals: dealList(
        deal(terms),
        deal('<TerritoryCode>Worldwide</TerritoryCode><TakeDown>false</TakeDown>'),
      ),
    }),
    purge('<ICPN>04012345678901</ICPN><ISRC>DEA252600001</ISRC>'),
  ];
  const pieces = [
    ...'<>&"\'/=?!\0\ud800',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?x',
    '?>',
    '&lt;',
    '&#0;',
    '&#x10ffff;',
    '<!DOCTYPE a>',
    '\u0000',
    'Worldwide',
    'P1D',
    '9999-12-31',
    '-1',
    '1e400',
    '\ud83d',
    '__proto__',
    'constructor',
    '../',
    '%ff',
    '%2e%2e/',
    'UserDefined',
    '<SoundRecording>',
    '</SoundRecording>',
    '<Deal>',
    '</Deal>',
    '<TakeDown>true</TakeDown>',
    '<DealReleaseReference>R0</DealReleaseReference>',
    ' IsDefault="true"',
  ];
  /** Cuts something out of the text, or puts something into it, or doubles or moves a part. */
  const mutation = fc.record({
    at: fc.nat(),
    length: fc.oneof(fc.nat(3), fc.nat(400)),
    to: fc.nat(),
    insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 6 })),
    kind: fc.constantFrom('cut', 'insert', 'replace', 'double', 'move', 'tag', 'break off'),
  });
  type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

  function mutated(text: string, { at, length, to, insert, kind }: Mutation): string {
    const from = at % (text.length + 1);
    const part = text.slice(from, from + length);
    const rest = text.slice(0, from) + text.slice(from + length);
    const target = to % (rest.length + 1);
    const names = [...text.matchAll(/[A-Z][A-Za-z]{3,40}/g)].map(([name]) => name);
    switch (kind) {
      case 'cut':
        return rest;
      case 'insert':
        return text.slice(0, from) + insert + text.slice(from);
      case 'replace':
        return text.slice(0, from) + insert + text.slice(from + length);
      case 'double':
        return text.slice(0, from) + part + text.slice(from);
      case 'move':
        return rest.slice(0, target) + part + rest.slice(target);
      case 'tag': {
        // One name becomes another one everywhere, so that the document stays well-formed.
        const [one = 'x', other = 'x'] = [names[at % names.length], names[to % names.length]];
        return text.replaceAll(one, other);
      }
      case 'break off':
        return text.slice(0, from);
    }
  }

  it('is imported or rejected, and never ends the import otherwise', async () => {
    const input = fc.record({
      message: fc.constantFrom(...messages),
      mutations: fc.array(mutation, { minLength: 1, maxLength: 5 }),
      inFolder: fc.boolean(),
    });
    let imported = 0;
    let rejectedOnes = 0;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(input, async ({ message, mutations, inFolder }) => {
        const path = await bench.write('d/a.xml', mutations.reduce(mutated, message));
        const paths = inFolder ? [path, await bench.write('d/b.xml', ern43())] : [path];
        // A source of its own: a message of a later date would make the following ones old.
        const { summary, rejections } = await bench.run(paths, { source: `run-${run++}` });
        const { read, created, updated, unchanged, rejected } = summary;
        expect(rejections).toHaveLength(rejected);
        expect(created + updated + unchanged + rejected).toBeGreaterThanOrEqual(read);
        imported += created + updated + unchanged;
        rejectedOnes += rejected;
      }),
      { numRuns: 400 },
    );
    // The damage leaves some messages readable.
    expect(imported).toBeGreaterThan(20);
    expect(rejectedOnes).toBeGreaterThan(20);
  }, 240_000);
});
