import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import { type NoteServer, startNoteServer } from '../../../../test/harness/note-server.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';

const adapter = ADAPTERS[0]!;
let place: Awaited<ReturnType<typeof adapter.provide>>;
let server: NoteServer;
beforeAll(async () => {
  place = await adapter.provide();
  server = await startNoteServer(adapter, place.location, new TestClock());
});
afterAll(async () => {
  await server.close();
  await place.dispose();
});

/** The id of a note at version 1. */
let id: string;
beforeEach(async () => {
  const { data, headers } = await server.call('createNote', { body: { text: 'a' } });
  id = data.id;
  expect(headers.etag).toBe('"1"');
});

const update = (ifMatch: string | string[] | undefined, body: unknown = { text: 'b' }) =>
  server.call('updateNote', {
    params: { id },
    body,
    headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
  });

describe('a change of an editable resource', () => {
  it('carries the new version, as every response with the resource does', async () => {
    const { status, data, headers } = await update('"1"');
    expect({ status, data }).toEqual({ status: 200, data: { id, text: 'b', version: 2 } });
    expect(headers).toMatchObject({ etag: '"2"', 'cache-control': 'no-store' });
    const shown = await server.call('showNote', {
      params: { id },
      headers: { 'If-None-Match': '"2"' },
    });
    expect(shown.status).toBe(200);
    expect(shown.headers).toMatchObject({ etag: '"2"', 'cache-control': 'no-store' });
  });

  it.each(['*', ' * ', '"0", "1"', '"0","1"', 'W/"1"', '"0",W/"1"', '"a,b", "1"'])(
    'is done with If-Match: %s',
    async (tags) => {
      expect((await update(tags)).status).toBe(200);
    },
  );

  it.each(['"1-gzip"', '"1-br"', 'W/"1-gzip"'])(
    'is done with the tag of a proxy: %s',
    async (tag) => {
      expect((await update(tag)).status).toBe(200);
    },
  );

  it('is done if one of several If-Match headers names the version', async () => {
    expect((await update(['"0"', '"1"'])).status).toBe(200);
  });

  it.each([
    '"2"',
    'W/"2"',
    'w/"1"',
    '"1-x"',
    '"11"',
    '1',
    '"1',
    '""',
    '',
    '"01"',
    'x"1"',
    '*, "2"',
  ])('is refused with If-Match: %s', async (tags) => {
    const { status, error, headers } = await update(tags);
    expect({ status, type: error.type }).toEqual({ status: 412, type: 'precondition_failed' });
    expect(headers.etag).toBe('"1"');
    const { data } = await server.call('showNote', { params: { id } });
    expect(data).toEqual({ id, text: 'a', version: 1 });
  });

  it('names the quotation marks that a tag lacks', async () => {
    const { error } = await update('1');
    expect(error.message).toBe(
      'If-Match must be * or the ETag with its quotation marks, such as "1".',
    );
    expect((await update('"2"')).error.message).toMatch(/^The resource is at version 1; read /);
  });

  it('needs If-Match after a valid body, and before the resource is looked up', async () => {
    expect((await update(undefined, {})).status).toBe(400);
    const { status, error } = await update(undefined);
    expect({ status, type: error.type }).toEqual({ status: 428, type: 'precondition_required' });
    const unknown = { params: { id: 'unknown' } };
    expect((await server.call('deleteNote', unknown)).status).toBe(428);
    const headers = { 'If-Match': '"7"' };
    expect((await server.call('deleteNote', { ...unknown, headers })).status).toBe(404);
  });

  it('deletes once', async () => {
    const call = () => server.call('deleteNote', { params: { id }, headers: { 'If-Match': '*' } });
    expect(await call()).toMatchObject({ status: 200, data: { id, deleted: true } });
    expect((await call()).status).toBe(404);
  });
});
