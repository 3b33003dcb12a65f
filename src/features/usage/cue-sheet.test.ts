import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Provenance } from '../catalog/provenance.ts';
import type { Writer } from '../catalog/writers.ts';
import { cueSheetCsv, cueSheetOf, MAX_CUES, type ReportedSync } from './cue-sheet.ts';

const PRODUCTION = { id: 'ep-7', title: 'Harbour Lights' };

const PROVENANCE: Provenance = {
  ai: 'assisted',
  aiParts: ['vocals', 'mastering'],
  trainingAllowed: false,
  statement: null,
};

function writer(name: string, role: string, values: Partial<Writer> = {}): Writer {
  return { name, role, ipi: null, society: null, share: null, ...values };
}

/** A sync of a track with these writers, all of which are credited. */
function sync(writers: readonly Writer[], values: Partial<ReportedSync> = {}): ReportedSync {
  return {
    eventId: 'e-3',
    trackId: '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10',
    seconds: 31,
    cue: { startSeconds: 62, usage: 'BI', number: 1 },
    licenseNumber: null,
    title: 'Night Ferry',
    isrc: 'QZES72400137',
    iswc: 'T-034.524.680-1',
    provenance: PROVENANCE,
    credits: writers.map(({ name, role }) => ({ name, role })),
    writers,
    ...values,
  };
}

const sheetOf = (...syncs: ReportedSync[]) => cueSheetOf({ production: PRODUCTION, syncs });
const partiesOf = (...writers: Writer[]) => {
  const [cue] = sheetOf(sync(writers)).cues;
  return [...cue!.writers, ...cue!.publishers].map(
    ({ name, role, ipi, sharePercent }) => `${name} ${role} ${ipi} ${sharePercent}`,
  );
};

describe('a cue sheet', () => {
  it('has the cues with their parties, totals, and problems', () => {
    const ann = { ipi: '00014107338', society: 'GEMA', share: 5_000 };
    const sheet = sheetOf(
      sync([
        writer('Mara Lindt', 'COMPOSER', { ...ann, share: 2_500 }),
        writer('Mara Lindt', 'LYRICIST', { ...ann, share: 2_500 }),
        writer('North', 'PUBLISHER', { share: 10_000 }),
      ]),
    );
    expect(sheet).toEqual({
      production: PRODUCTION,
      cues: [
        {
          sequence: 1,
          number: 1,
          trackId: '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10',
          title: 'Night Ferry',
          isrc: 'QZES72400137',
          iswc: 'T-034.524.680-1',
          usage: 'BI',
          startSeconds: 62,
          durationSeconds: 31,
          writers: [
            {
              name: 'Mara Lindt',
              role: 'CA',
              ipi: '00014107338',
              society: 'GEMA',
              sharePercent: '50.00',
            },
          ],
          publishers: [
            { name: 'North', role: 'E', ipi: null, society: null, sharePercent: '100.00' },
          ],
          licenseNumber: null,
          provenance: PROVENANCE,
        },
      ],
      totals: { cues: 1, seconds: 31 },
      problems: ['cues[0].writers: shares add up to 50 %'],
    });
  });

  it('orders cues by start, number and event id, and numbers them', () => {
    const place = (eventId: string, startSeconds: number, number?: number) =>
      sync([], {
        eventId,
        seconds: 10,
        cue: { startSeconds, usage: 'VV', ...(number !== undefined && { number }) },
      });
    const syncs = [
      place('d', 5),
      place('c', 5, 2),
      place('b', 5, 1),
      place('a', 5, 2),
      place('e', 0),
    ];
    const { cues, totals } = sheetOf(...syncs);
    expect(
      cues.map(({ sequence, startSeconds, number }) => [sequence, startSeconds, number]),
    ).toEqual([
      [1, 0, null],
      [2, 5, 1],
      [3, 5, 2],
      [4, 5, 2],
      [5, 5, null],
    ]);
    expect(totals).toEqual({ cues: 5, seconds: 50 });
    const titled = syncs.map((one) => ({ ...one, title: one.eventId }));
    const titles = (list: ReportedSync[]) =>
      sheetOf(...list)
        .cues.map(({ title }) => title)
        .join('');
    expect([titles(titled), titles(titled.toReversed())]).toEqual(['ebacd', 'ebacd']);
  });

  it('shows null for what is unknown, and no parties of a removed track', () => {
    const { cues, problems } = sheetOf(
      sync([], { isrc: '', iswc: null, cue: { startSeconds: 0, usage: 'EE' } }),
    );
    expect(cues[0]).toMatchObject({ number: null, isrc: null, iswc: null, licenseNumber: null });
    expect(cues[0]).toMatchObject({ writers: [], publishers: [] });
    expect(problems).toEqual([
      'cues[0].writers: no shares are known',
      'cues[0].publishers: no shares are known',
    ]);
  });

  it('says if there are more cues than it lists', () => {
    const many = Array.from({ length: MAX_CUES + 1 }, (_, i) => sync([], { eventId: `e-${i}` }));
    const { cues, problems } = sheetOf(...many);
    expect(cues).toHaveLength(MAX_CUES);
    expect(problems[0]).toBe('cues: the production has more than 2000; the others are left out');
  });
});

describe('the parties of a work', () => {
  it.each<[string, Writer[], string[]]>([
    [
      'have the role codes of CWR; other credits are left out',
      ['COMPOSER', 'LYRICIST', 'ARRANGER', 'PUBLISHER', 'PRODUCER', 'constructor'].map((role) =>
        writer(role, role),
      ),
      [
        'COMPOSER C null null',
        'LYRICIST A null null',
        'ARRANGER AR null null',
        'PUBLISHER E null null',
      ],
    ],
    [
      'are one with the same name and number as composer and lyricist, in any order',
      [writer('Ann', 'LYRICIST', { share: 3_333 }), writer('Ann', 'COMPOSER', { share: 1 })],
      ['Ann CA null 33.34'],
    ],
    [
      'are two with another number',
      [writer('Ann', 'LYRICIST', { ipi: '00000000001' }), writer('Ann', 'COMPOSER')],
      ['Ann A 00000000001 null', 'Ann C null null'],
    ],
    [
      'are two as composer and arranger',
      [writer('Ann', 'COMPOSER', { share: 5_000 }), writer('Ann', 'ARRANGER', { share: 5_000 })],
      ['Ann C null 50.00', 'Ann AR null 50.00'],
    ],
    [
      'are one if a credit is stored twice',
      [writer('Ann', 'COMPOSER', { share: 5_000 }), writer('Ann', 'COMPOSER', { share: 2_500 })],
      ['Ann C null 75.00'],
    ],
    [
      'have an unknown share only if no share is known',
      [writer('Ann', 'COMPOSER'), writer('Ann', 'LYRICIST', { share: 0 })],
      ['Ann CA null 0.00'],
    ],
  ])('%s', (_, writers, expected) => {
    expect(partiesOf(...writers)).toEqual(expected);
  });

  it('are the credits of the track, with what is known of them', () => {
    const stored = [writer('Gone', 'COMPOSER', { share: 10_000 }), writer('Ann', 'PUBLISHER')];
    const credits = [{ name: 'Ann', role: 'COMPOSER' }];
    const [cue] = sheetOf(sync(stored, { credits })).cues;
    expect(cue!.writers).toEqual([
      { name: 'Ann', role: 'C', ipi: null, society: null, sharePercent: null },
    ]);
    expect(cue!.publishers).toEqual([]);
  });

  const anyWriter = fc.record({
    name: fc.constantFrom('Ann', 'Bob', 'Cy'),
    role: fc.constantFrom('COMPOSER', 'LYRICIST', 'ARRANGER', 'PUBLISHER', 'PRODUCER'),
    ipi: fc.constantFrom(null, '00000000001', '00000000002'),
    society: fc.constantFrom(null, 'GEMA'),
    share: fc.option(fc.integer({ min: 0, max: 10_000 })),
  });

  it('keep the sum of the shares of each side, and no party is listed twice', () => {
    fc.assert(
      fc.property(fc.array(anyWriter, { maxLength: 12 }), (writers) => {
        const { cues, problems } = sheetOf(sync(writers));
        for (const [side, roles] of [
          ['writers', ['COMPOSER', 'LYRICIST', 'ARRANGER']],
          ['publishers', ['PUBLISHER']],
        ] as const) {
          const given = writers.filter(({ role }) => (roles as readonly string[]).includes(role));
          const known = given.filter(({ share }) => share !== null);
          const sum = known.reduce((total, { share }) => total + share!, 0);
          const parties = cues[0]![side];
          const shown = parties.flatMap(({ sharePercent }) => sharePercent ?? []);
          expect(shown.reduce((total, share) => total + Math.round(Number(share) * 100), 0)).toBe(
            sum,
          );
          const keys = parties.map(({ name, ipi, role }) => `${name} ${ipi} ${role}`);
          expect(new Set(keys).size).toBe(keys.length);
          const problem =
            known.length === 0 ? 'no shares are known' : `shares add up to ${sum / 100} %`;
          expect(problems.includes(`cues[0].${side}: ${problem}`)).toBe(sum !== 10_000);
        }
      }),
    );
  });
});

describe('a cue sheet as CSV', () => {
  it('has one row for each cue and party', () => {
    const writers = [
      writer('Lindt, Mara "M"', 'COMPOSER', { ipi: '00014107338', society: 'GEMA', share: 5_000 }),
      writer('North', 'PUBLISHER'),
    ];
    const unknown = { isrc: '', iswc: null, provenance: null };
    const later = {
      eventId: 'e-4',
      cue: { startSeconds: 99, usage: 'VS' },
      title: 'Two\r\nlines',
    } as const;
    const csv = cueSheetCsv(sheetOf(sync(writers), sync([], { ...later, ...unknown })));
    expect(csv.split('\r\n')).toEqual([
      'Sequence,Number,Title,ISRC,ISWC,Usage,StartSeconds,DurationSeconds,PartyName,Role,IPI,Society,SharePercent,LicenseNumber,Ai,AiParts,TrainingAllowed',
      '1,1,Night Ferry,QZES72400137,T-034.524.680-1,BI,62,31,"Lindt, Mara ""M""",C,00014107338,GEMA,50.00,,assisted,vocals mastering,no',
      '1,1,Night Ferry,QZES72400137,T-034.524.680-1,BI,62,31,North,E,,,,,assisted,vocals mastering,no',
      '2,,"Two',
      'lines",,,VS,99,31,,,,,,,,,',
      '',
    ]);
  });
});
