import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallOptions } from '../../../../test/harness/call.ts';
import { TestClock } from '../../../../test/harness/clock.ts';
import { tokenOf } from '../../../../test/harness/feature-server.ts';
import { BAD_NOTE, NO_NOTE, NOTE_SECRET } from '../../../../test/harness/note-routes.ts';
import { type NoteServer, startNoteServer } from '../../../../test/harness/note-server.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { newId } from '../../../common/ids.ts';
import { fingerprintOf } from './change-once.ts';

for (const adapter of ADAPTERS) {
  describe(`a request with an Idempotency-Key on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<typeof adapter.provide>>;
    let server: NoteServer;
    let key: string;
    beforeAll(async () => {
      place = await adapter.provide();
      server = await startNoteServer(adapter, place.location, new TestClock());
    });
    afterAll(async () => {
      await server.close();
      await place.dispose();
    });
    beforeEach(() => {
      key = newId();
    });

    const call = (operationId: string, { headers, ...options }: CallOptions) =>
      server.call(operationId, { ...options, headers: { 'Idempotency-Key': key, ...headers } });
    const create = (body: unknown, options: CallOptions = {}) =>
      call('createNote', { body, ...options });
    /** Returns the number of notes with a text. */
    const count = async (text: string) =>
      (await server.notes.texts()).filter((one) => one === text).length;

    it('has one effect, and repeats get the same response', async () => {
      const text = `ä "${key}"`;
      const first = await create({ text }, { headers: { 'X-Request-Id': 'first' } });
      expect(first.status).toBe(201);
      expect(first.headers).not.toHaveProperty('idempotency-replayed');
      const again = await create({ text }, { headers: { 'X-Request-Id': 'again' } });
      expect(again.status).toBe(201);
      expect(again.body.equals(first.body)).toBe(true);
      const { location, etag, 'cache-control': cached } = first.headers;
      expect(again.headers).toMatchObject({
        location,
        etag,
        'cache-control': cached,
        'idempotency-replayed': 'true',
        'x-request-id': 'again',
      });
      expect({ etag, cached, location }).toEqual({
        etag: '"1"',
        cached: 'no-store',
        location: `/v1/notes/${first.data.id}`,
      });
      expect(await count(text)).toBe(1);
    });

    it('is the same with and without quotes, and with members in another order', async () => {
      const first = await create(`{"text":"${key}","more":{"a":1.0,"b":[{"c":null,"d":2}]}}`);
      const again = await create(
        `{ "more": {"b": [{"d": 2, "c": null}], "a": 1}, "text": "\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}" }`,
        { headers: { 'Idempotency-Key': `"${key}"` } },
      );
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(again.data).toEqual(first.data);
      expect(await count(key)).toBe(1);
    });

    it.each<[string, string, CallOptions]>([
      ['another value', 'createNote', { body: { text: 'other' } }],
      ['another order of values', 'createNote', { body: { text: 'list', more: { list: [2, 1] } } }],
      ['another query', 'createNote', { body: { text: 'list' }, query: { tag: 'a' } }],
      [
        'another operation',
        'updateNote',
        { params: { id: 'x' }, body: { text: 'list' }, headers: { 'If-Match': '*' } },
      ],
    ])('is refused with %s', async (_, operationId, options) => {
      await create({ text: 'list', more: { list: [1, 2] } });
      const before = (await server.notes.texts()).length;
      const { status, error } = await call(operationId, options);
      expect({ status, type: error.type }).toEqual({ status: 422, type: 'idempotency_mismatch' });
      expect(await server.notes.texts()).toHaveLength(before);
    });

    it('gets 409 while another is in progress', async () => {
      const fingerprint = fingerprintOf('POST', '/v1/notes', { text: key });
      await server.store.idempotency.claim({ clientId: 'one', mode: 'test', key, fingerprint });
      const { status, error, headers } = await create({ text: key });
      expect({ status, type: error.type }).toEqual({ status: 409, type: 'conflict' });
      expect(headers['retry-after']).toBe('1');
      expect(await count(key)).toBe(0);
    });

    it('is done for each client and in each mode', async () => {
      for (const given of [{}, { client: 'two' }, { mode: 'live' as const }]) {
        const { headers } = await create({ text: key }, { token: tokenOf(given) });
        expect(headers).not.toHaveProperty('idempotency-replayed');
      }
      expect(await count(key)).toBe(3);
    });

    it('may be repeated after an error, which is not kept', async () => {
      for (let i = 0; i < 2; i++) {
        const { status, headers } = await create({ text: BAD_NOTE });
        expect(status).toBe(409);
        expect(headers).not.toHaveProperty('retry-after');
      }
      const { status, headers } = await create({ text: key });
      expect(status).toBe(201);
      expect(headers).not.toHaveProperty('idempotency-replayed');
    });

    it('keeps a success without a change', async () => {
      expect((await create({ text: NO_NOTE })).status).toBe(200);
      const again = await create({ text: NO_NOTE });
      expect(again.status).toBe(200);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect((await create({ text: 'other' })).status).toBe(422);
    });

    it('keeps no secret', async () => {
      const body = { text: key, isSecret: true };
      const first = await create(body);
      expect(first.data.secret).toBe(NOTE_SECRET);
      const { status, data, headers } = await create(body);
      expect({ status, etag: headers.etag }).toEqual({ status: 201, etag: '"1"' });
      expect({ ...data, secret: NOTE_SECRET }).toEqual(first.data);
      expect(data).not.toHaveProperty('secret');
    });

    it('is looked up after If-Match, and before the resource', async () => {
      const { data } = await create({ text: key });
      const params = { id: data.id };
      const remove = (ifMatch?: string) =>
        call('deleteNote', {
          params,
          headers: { 'Idempotency-Key': `${key}!`, ...(ifMatch && { 'If-Match': ifMatch }) },
        });
      expect((await remove('"7"')).status).toBe(412);
      const first = await remove('"1"');
      expect(first.status).toBe(200);
      expect((await remove()).status).toBe(428);
      const again = await remove('"2"');
      expect(again.status).toBe(200);
      expect(again.body.equals(first.body)).toBe(true);
      const update = { params, body: { text: 'b' }, headers: { 'If-Match': '"1"' } };
      expect((await call('updateNote', update)).status).toBe(422);
      expect((await server.call('updateNote', update)).status).toBe(404);
    });

    it('updates once', async () => {
      const { data } = await server.call('createNote', { body: { text: 'a' } });
      const update = () =>
        call('updateNote', {
          params: { id: data.id },
          body: { text: 'b' },
          headers: { 'If-Match': '"1"' },
        });
      const responses = [await update(), await update()];
      expect(responses.map(({ headers }) => headers.etag)).toEqual(['"2"', '"2"']);
      expect((await server.notes.get(data.id)).version).toBe(2);
    });

    it('has its effect although the response gets lost', async () => {
      const lost = create({ text: key }, { headers: { 'X-Stave-Simulate': 'lost_response' } });
      await expect(lost).rejects.toThrow();
      const { status, headers } = await create({ text: key });
      expect({ status, replayed: headers['idempotency-replayed'] }).toEqual({
        status: 201,
        replayed: 'true',
      });
      expect(await count(key)).toBe(1);
    });
  });
}
