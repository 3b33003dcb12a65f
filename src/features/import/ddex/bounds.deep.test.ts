import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportBench, openImportBench } from '../../../../test/harness/import-bench.ts';
import { importOnce } from '../../../../test/harness/import-once.ts';
import { COUNTRIES } from '../../../common/codes.ts';
import { deal, ern43, recording43 } from './ern.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const MiB = 1024 * 1024;
const again = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
/** Comments that compress badly, so that a message may unpack to more. */
const padding = Array.from(
  { length: 1000 },
  () => `<!--${randomBytes(600).toString('base64')}-->`,
).join('');
const list = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
const code = (country: string) => `<TerritoryCode>${country}</TerritoryCode>`;

describe('a megabyte of the worst message', () => {
  const credit = (i: number) =>
    `<ResourceContributor><PartyName><FullName>N${i}</FullName></PartyName><ResourceContributorRole>Role</ResourceContributorRole></ResourceContributor>`;
  const from = (month: number) =>
    `<ValidityPeriod><StartDateTime>${2000 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01T00:00:00Z</StartDateTime></ValidityPeriod>`;
  /** As many recordings as a message may have, with 28 MiB together. */
  const recordings = (content: (i: number) => string) =>
    list(5_000, (i) =>
      recording43({
        reference: `A${i}`,
        ids: `<ISRC>DEA25${`${i}`.padStart(7, '0')}</ISRC>`,
        more: content(i),
      }),
    );
  const many = (text: string) => again(text, (28 * MiB) / 5_000 - 1_200);
  const toAll = (count: number, ...deals: string[]) =>
    `<DealList><ReleaseDeal>${list(count, (i) => `<DealReleaseReference>R${i}</DealReleaseReference>`)}${deals.join('')}</ReleaseDeal></DealList>`;
  const releases = (count: number, of: (i: number) => string) =>
    list(
      count,
      (i) => `<TrackRelease><ReleaseReference>R${i}</ReleaseReference>${of(i)}</TrackRelease>`,
    );

  it.each<[string, () => string]>([
    ['credits', () => ern43({ recordings: [recordings((i) => many(credit(i)))] })],
    [
      'long texts',
      () =>
        ern43({
          recordings: [recordings(() => `<Genre><GenreText>${many('x')}</GenreText></Genre>`)],
        }),
    ],
    ['unread elements', () => ern43({ recordings: [recordings(() => many('<a/>'))] })],
    ['one element after the other', () => ern43({ parties: again('<a/>', 28 * MiB) })],
    [
      'attributes',
      () => ern43({ parties: again(`<Party ${list(99, (i) => ` a${i}=""`)}/>`, 28 * MiB) }),
    ],
    [
      'countries for many releases',
      () => ern43({ deals: toAll(1_000, ...Array(990).fill(deal(COUNTRIES.map(code).join('')))) }),
    ],
    [
      'periods for many releases, of which recordings are in many',
      () =>
        ern43({
          recordings: [recordings(() => '')],
          releases: releases(5_900, (i) =>
            list(
              25,
              (j) =>
                `<ReleaseResourceReference>A${(i * 25 + j * 7) % 5_000}</ReleaseResourceReference>`,
            ),
          ),
          deals: toAll(
            5_900,
            ...Array.from({ length: 50 }, (_, i) => deal(`${code('DE')}${from(i)}`)),
          ),
        }),
    ],
  ])(
    '(%s) is read or refused with less than 300 MB and 60 s of processor time',
    async (_, message) => {
      const content = message().replace('<PartyList>', `${padding}<PartyList>`);
      const path = await bench.write('a.xml.gz', gzipSync(content, { level: 9 }));
      const { peakMB, cpuSeconds, created, rejected } = await importOnce(bench, path);
      expect(created + rejected).toBeGreaterThan(0);
      expect(cpuSeconds).toBeLessThan(60);
      expect(peakMB).toBeLessThan(300);
    },
    240_000,
  );
});
