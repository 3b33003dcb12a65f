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

/** Expects this many of the results to be errors that say what there is too much of. */
function expectTooMany(
  results: readonly PromiseSettledResult<Buffer>[],
  count: number,
  what: string,
) {
  const refused = results.filter((one) => one.status === 'rejected');
  expect(refused).toHaveLength(count);
  for (const { reason } of refused) {
    expect(reason).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '5' } });
    expect(reason.message).toMatch(new RegExp(`^${what}`));
  }
}

describe('PdfMaker', () => {
  it('makes each PDF once, and keeps it', async () => {
    const maker = start();
    const [one, same] = await Promise.all([
      maker.pdfOf(license('1'), 'one'),
      maker.pdfOf(license('1'), 'one'),
    ]);
    expect(one).toBe(same);
    expect(await maker.pdfOf(license('1'), 'one')).toBe(one);
    expect([maker.counts, maker.waiting]).toEqual([{ made: 1, failed: 0, refused: 0 }, 0]);
    expect(one.toString('latin1', 0, 5)).toBe('%PDF-');
  });

  it('refuses further PDFs while fifty wait, and makes those that wait', async () => {
    const maker = start();
    const all = Array.from({ length: 60 }, (_, n) =>
      maker.pdfOf(license(String(n)), `client ${n % 6}`),
    );
    expect(maker.waiting).toBe(51);
    expectTooMany(await Promise.allSettled(all), 9, 'Too many PDFs');
    expect([maker.counts, maker.waiting]).toEqual([{ made: 51, failed: 0, refused: 9 }, 0]);
  });

  it('refuses further PDFs of a client while ten of it wait, and makes those of others', async () => {
    const maker = start();
    const requested = (clientId: string, count: number) =>
      Array.from({ length: count }, (_, n) => maker.pdfOf(license(`${clientId} ${n}`), clientId));
    const many = requested('one', 60);
    const others = requested('two', 10);
    // A PDF that is being made already takes no place.
    const same = maker.pdfOf(license('two 0'), 'one');
    expectTooMany(await Promise.allSettled(many), 50, 'Too many of your PDFs');
    expectTooMany(await Promise.allSettled([...others, same]), 0, '');
    expectTooMany(await Promise.allSettled(requested('one', 10)), 0, '');
  });

  it('makes others after one that has failed', async () => {
    const maker = start();
    const broken = { ...license('1'), certificate: 'e30.bm8.AA' };
    await expect(maker.pdfOf(broken, 'one')).rejects.toThrow(/JSON/);
    expect((await maker.pdfOf(license('2'), 'one')).length).toBeGreaterThan(1_000);
    expect(maker.counts).toEqual({ made: 1, failed: 1, refused: 0 });
  });

  it('rejects what is not made when it is closed', async () => {
    const maker = start();
    const waiting = Promise.allSettled([
      maker.pdfOf(license('1'), 'one'),
      maker.pdfOf(license('2'), 'one'),
    ]);
    await maker.close();
    for (const one of await waiting) {
      expect(one).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } });
    }
    await expect(maker.pdfOf(license('3'), 'one')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
