import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { HAS_POPPLER } from '../../../../test/harness/poppler.ts';
import { makePdf } from './make-pdf.ts';
import { type PrintableLicense, printedLicense } from './printed-license.ts';
import { Typeface } from './typeface.ts';

const typeface = new Typeface();

const TRACK = { trackId: 'id-1', name: 'Night Ferry', artists: ['Mara Lindt'], isrc: '' };

/** A license whose certificate has these claims and a signature that nobody checks. */
function licenseWith(
  change: object = {},
  { iat = 1_795_600_000, amountMinor = 18_000, currency = 'EUR', minorUnit = 2 } = {},
): PrintableLicense {
  const license = {
    number: '2026-000123-7K2QX9MD',
    licensee: { name: 'Lighthouse Film', country: 'DE' },
    project: { name: 'Spring ad' },
    media: ['online'],
    territories: ['WORLD'],
    exclusive: false,
    startsAt: '2026-12-01T00:00:00.000Z',
    endsAt: null,
    tracks: [TRACK],
    termsVersion: '2026-1',
    termsUrl: 'https://house.example/terms',
    ...change,
  };
  const claims = { iss: 'House', jti: license.number, sub: 'x', iat, nbf: iat, mode: 'live' };
  const payload = Buffer.from(JSON.stringify({ ...claims, license })).toString('base64url');
  return { certificate: `e30.${payload}.AA`, amountMinor, currency, minorUnit };
}

const detailsOf = (license: PrintableLicense) =>
  Object.fromEntries(
    printedLicense(license, typeface)
      .details.flat()
      .map(({ label, value, note }) => [label, note === undefined ? value : `${value} (${note})`]),
  );

describe('printedLicense', () => {
  it.each([
    [18_000, 'EUR', 2, '180.00 EUR'],
    [5, 'HUF', 2, '0.05 HUF'],
    [18_000, 'JPY', 0, '18000 JPY'],
    [1_234_567, 'KWD', 3, '1234.567 KWD'],
    [0, 'EUR', 2, '0.00 EUR'],
  ])(
    'writes %i minor units of %s with %i decimals as %s',
    (amountMinor, currency, minorUnit, price) => {
      const license = licenseWith({}, { amountMinor, currency, minorUnit });
      expect(detailsOf(license)['Price, net of tax']).toBe(price);
    },
  );

  it('says when the license starts and ends, and where it applies', () => {
    expect(detailsOf(licenseWith())).toMatchObject({
      'Valid from': '2026-12-01 00:00:00 UTC',
      'Valid until': 'Perpetual',
      Territories: 'Worldwide',
      Exclusivity: 'Non-exclusive',
    });
    const other = {
      endsAt: '2027-12-01T10:20:30.400Z',
      territories: ['DE', 'AT'],
      exclusive: true,
    };
    expect(detailsOf(licenseWith(other))).toMatchObject({
      'Valid until': '2027-12-01 10:20:30 UTC',
      Territories: 'DE, AT',
      Exclusivity: 'Exclusive',
    });
  });

  it('prints names that the font lacks in Latin letters, with the ISRC or the id', () => {
    const tracks = [
      { ...TRACK, name: '夜の海', isrc: 'ZZSTV2600001' },
      { ...TRACK, name: 'Ferry', artists: ['Mara', 'ليلى'] },
      { ...TRACK, name: '\u{10FFFF}' },
      TRACK,
    ];
    expect(printedLicense(licenseWith({ tracks }), typeface).tracks).toEqual([
      {
        ...{ name: 'YenoHai', artists: 'Mara Lindt', isrc: 'ZZSTV2600001' },
        notes: ['In Latin letters; ISRC ZZSTV2600001'],
      },
      { name: 'Ferry', artists: 'Mara, lyla', isrc: '–', notes: ['In Latin letters; track id-1'] },
      { name: '?', artists: 'Mara Lindt', isrc: '–', notes: ['In Latin letters; track id-1'] },
      { name: 'Night Ferry', artists: 'Mara Lindt', isrc: '–', notes: [] },
    ]);
  });

  it('prints the purchase order, of which the certificate knows nothing', () => {
    const license = { ...licenseWith({}), purchaseOrder: 'PO-4711' };
    expect(detailsOf(license)).toMatchObject({ 'Purchase order': 'PO-4711' });
    expect(printedLicense(license, typeface).verification[0]).toMatch(
      /except the price and the purchase order\.$/,
    );
    expect(detailsOf(licenseWith({}))).not.toHaveProperty('Purchase order');
  });

  it('prints what is known of the provenance of a track', () => {
    const provenances = [
      {
        ai: 'assisted',
        aiParts: ['vocals', 'lyrics'],
        trainingAllowed: false,
        statement: 'By me.',
      },
      { ai: 'none', aiParts: [], trainingAllowed: true, statement: null },
      { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null },
    ];
    const tracks = provenances.map((provenance) => ({ ...TRACK, provenance }));
    const printed = printedLicense(licenseWith({ tracks }), typeface).tracks;
    expect(printed.map(({ notes }) => notes)).toEqual([
      ['Made by AI: assisted (vocals, lyrics)', 'AI training: not allowed'],
      ['Made by AI: none', 'AI training: allowed'],
      [],
    ]);
  });

  it('prints names on one line, without control and direction characters', () => {
    const licensee = { name: ' A\nB\u202e\tC\u0000 ', country: 'DE' };
    expect(detailsOf(licenseWith({ licensee })).Licensee).toBe('A B C');
  });
});

describe('makePdf', () => {
  it('makes the same bytes of the same license, and others of another one', async () => {
    const [one, again, other] = await Promise.all([
      makePdf(licenseWith(), typeface),
      makePdf(licenseWith(), new Typeface()),
      makePdf(licenseWith({}, { iat: 1_795_600_001 }), typeface),
    ]);
    expect(one.equals(again)).toBe(true);
    expect(one.equals(other)).toBe(false);
  });

  it('makes several pages of many tracks, and of words longer than a line', async () => {
    const tracks = Array.from({ length: 100 }, (_, n) => {
      return { ...TRACK, name: n % 2 === 0 ? 'Ω'.repeat(200) : `Song ${n}` };
    });
    const licensee = { name: 'W'.repeat(200), country: 'DE' };
    const pdf = await makePdf(licenseWith({ tracks, licensee }), typeface);
    expect(pdf.toString('latin1').match(/\/Type \/Page\n/g)!.length).toBeGreaterThan(5);
  });
});

it.skipIf(!HAS_POPPLER)(
  'continues lists that are longer than a page on the next ones',
  async () => {
    const media = Array.from({ length: 500 }, (_, n) => `medium_${n}_${'x'.repeat(35)}`);
    const artists = Array.from({ length: 300 }, (_, n) => `Artist ${n}`);
    const license = licenseWith({ media, tracks: [{ ...TRACK, artists }, TRACK] });
    const input = await makePdf(license, typeface);
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input }).toString();
    for (const one of media) expect(text).toContain(one.slice(0, 12));
    expect(text).toContain('Artist 299');
    expect(text).toContain('Verification');
  },
);
