import { afterEach, describe, expect, it } from 'vitest';
import { PdfMaker } from './pdf-maker.ts';
import type { PrintableLicense } from './printed-license.ts';

const open: PdfMaker[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((maker) => maker.close()));
});

function start(): PdfMaker {
  const maker = new PdfMaker();
  open.push(maker);
  return maker;
}

/** A license with this number. A certificate without claims cannot be printed. */
function license(number: string): PrintableLicense {
  const claims = {
    ...{ iss: 'House', jti: number, sub: 'x', iat: 1, nbf: 1, mode: 'test' },
    license: {
      ...{ number, licensee: { name: 'A', country: 'DE' }, project: { name: 'B' } },
      ...{ media: [], territories: [], exclusive: false, startsAt: '', endsAt: null, tracks: [] },
      ...{ termsVersion: '1', termsUrl: '' },
    },
  };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return { certificate: `e30.${payload}.AA`, amountMinor: 1, currency: 'EUR', minorUnit: 2 };
}

describe('PdfMaker', () => {
  it('makes each PDF once, and keeps it', async () => {
    const maker = start();
    const [one, same] = await Promise.all([maker.pdfOf(license('1')), maker.pdfOf(license('1'))]);
    expect(one).toBe(same);
    expect(await maker.pdfOf(license('1'))).toBe(one);
    expect(one.toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('refuses further PDFs while fifty wait, and makes those that wait', async () => {
    const maker = start();
    const all = Array.from({ length: 60 }, (_, n) => maker.pdfOf(license(String(n))));
    const results = await Promise.allSettled(all);
    const refused = results.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(9);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '5' } });
    }
  });

  it('makes others after one that has failed', async () => {
    const maker = start();
    const broken = { ...license('1'), certificate: 'e30.bm8.AA' };
    await expect(maker.pdfOf(broken)).rejects.toThrow(/JSON/);
    expect((await maker.pdfOf(license('2'))).length).toBeGreaterThan(1_000);
  });

  it('rejects what is not made when it is closed', async () => {
    const maker = start();
    const waiting = Promise.allSettled([maker.pdfOf(license('1')), maker.pdfOf(license('2'))]);
    await maker.close();
    for (const one of await waiting) {
      expect(one).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    }
    await expect(maker.pdfOf(license('3'))).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
