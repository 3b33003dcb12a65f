import { expect, it } from 'vitest';
import { readConfig } from './config/config.ts';
import { connectionLimits } from './listen.ts';

const config = readConfig({ STAVE_MAX_CONNECTIONS: '3000' });
const openFiles = (soft: string) => () =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 524288               files\n`;

it.each([
  ['65536', 3_000],
  ['3512', 3_000],
  ['3511', 2_999],
  ['1024', 512],
  ['256', 128],
  ['unlimited', 3_000],
])('of %s open files leaves %i to connections', (soft, inAll) => {
  const warned: object[] = [];
  const limits = connectionLimits(
    config,
    { warn: (fields) => warned.push(fields as object) },
    openFiles(soft),
  );
  expect(limits).toEqual({ inAll, ofAddress: 2_000 });
  expect(warned).toHaveLength(inAll < 3_000 ? 1 : 0);
});

it('keeps the configured limit where the system does not tell its own', () => {
  const fail = () => {
    throw new Error('ENOENT');
  };
  expect(connectionLimits(config, { warn: fail }, fail).inAll).toBe(3_000);
});
