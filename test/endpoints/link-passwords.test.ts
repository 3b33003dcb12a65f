import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkPasswords } from '../../src/features/collections/link-password.ts';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';
import { until } from '../harness/until.ts';

let on: LinkServer;
beforeAll(async () => {
  on = await startLinkServer();
});
afterAll(() => on?.server.close());

const PASSWORD = 'spring 2027';
const create = (body: object, params = {}) =>
  on.asOwner('createCollectionLink', { body: { password: PASSWORD, ...body }, params });

describe('a link with a password', () => {
  it('waits for no other one of its client: the second at the same time is refused', async () => {
    const statuses: number[] = [];
    await until(async () => {
      const made = await Promise.all([create({}), create({}), create({})]);
      for (const { status, headers, data } of made) {
        statuses.push(status);
        if (status === 429) expect(headers['retry-after']).toBe('1');
        else await on.end({ ...data, token: '' });
      }
      return statuses.includes(429);
    }, 'two requests at the same time');
    expect(statuses.every((status) => [201, 429].includes(status))).toBe(true);
    expect(statuses).toContain(201);
  });

  it('is refused for any other reason before its password is hashed', async () => {
    const link = await on.link();
    const edit = (version: string, linkId: string) =>
      on.asOwner('updateCollectionLink', {
        ...{ params: { linkId }, headers: { 'If-Match': version }, body: { password: PASSWORD } },
      });
    const ended = await on.link();
    await on.end(ended);
    // As many as run and wait at most, so that one more would be refused as unavailable.
    let isOver = false;
    const lanes = Array.from({ length: 52 }, async () => {
      while (!isOver) await linkPasswords.make(PASSWORD).catch(() => {});
    });
    try {
      expect((await create({})).status).toBe(503);
      expect((await edit('"1"', link.id)).status).toBe(503);
      expect((await create({}, { id: link.id })).status).toBe(404);
      expect((await create({ expiresAt: '2020-01-01T00:00:00Z' })).status).toBe(400);
      expect((await edit('"7"', link.id)).status).toBe(412);
      expect((await edit('*', ended.id)).status).toBe(409);
      for (let live = 1; live < 50; live++) await on.link();
      expect((await create({})).status).toBe(409);
    } finally {
      isOver = true;
      await Promise.all(lanes);
    }
    await on.end(link);
  });
});
