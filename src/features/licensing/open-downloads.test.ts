import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { OpenDownloads } from './open-downloads.ts';

it('open downloads end at the first look-up after their license was revoked, and no others', async () => {
  let isRevoked = false;
  const lookups: { numbers: readonly string[]; wasRevoked: boolean }[] = [];
  const open = new OpenDownloads(async (numbers) => {
    lookups.push({ numbers, wasRevoked: isRevoked });
    if (lookups.length === 1) throw new Error('the database is away');
    return isRevoked ? ['revoked'] : [];
  });
  const streams = Array.from({ length: 3 }, () => {
    const stream = new Readable({ read() {} });
    stream.on('error', () => {});
    return stream;
  });
  const [one, other, valid] = streams as [Readable, Readable, Readable];
  open.add('revoked', one);
  open.add('revoked', other);
  open.add('valid', valid);
  // One that fails ends nothing.
  await until(() => lookups.length >= 2);
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  isRevoked = true;
  await until(() => one.destroyed && other.destroyed);
  expect(lookups.filter(({ wasRevoked }) => wasRevoked)).toHaveLength(1);
  expect(lookups.at(-1)!.numbers).toEqual(['revoked', 'valid']);
  expect([one.errored?.message, valid.destroyed]).toEqual(['License revoked was revoked.', false]);
  await until(() => lookups.at(-1)!.numbers.length === 1);
  valid.destroy();
});
