import { describe, expect, it } from 'vitest';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, rawRequest } from './raw-client.ts';
import { AUTH, fixture, get, HOST, post, serveFixture } from './requests-support.ts';

serveFixture();

describe('parameters', () => {
  it('are converted to the types of their schema, with defaults', async () => {
    const id = '6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11';
    const path = `/v1/things?search=a+b%20%C3%A9&hasVocals=false&filterIds=${id},${id}&pageSize=007&_=1&utm_source=%zz`;
    expect(expectData(await get(path))).toEqual({
      search: 'a b é',
      hasVocals: false,
      filterIds: [id, id],
      page: 1,
      pageSize: 7,
    });
  });

  it('accept a list as one parameter, as several of its name, and as both', async () => {
    const ids = [1, 2, 3].map((n) => `3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d1${n}`);
    const [a, b, c] = ids;
    for (const query of [
      `filterIds=${a},${b},${c}`,
      `filterIds=${a}&filterIds=${b}&filterIds=${c}`,
      `filterIds=${a}&page=1&filterI%64s=${b}%2C${c}`,
    ]) {
      expect(expectData(await get(`/v1/things?${query}`))).toMatchObject({ filterIds: ids });
    }
  });

  it('accept an empty list', async () => {
    expect(expectData(await get('/v1/things?filterIds='))).toMatchObject({ filterIds: [] });
  });

  const PAGE = 'page must be a whole number from 1 to 2147483647';
  it.each([
    ['page=0', PAGE],
    ['page=-1', PAGE],
    ['page=1e2', PAGE],
    ['page=0x10', PAGE],
    ['page=+1', PAGE],
    ['page=%2B1', PAGE],
    ['page=1.0', PAGE],
    ['page=', PAGE],
    ['page', PAGE],
    ['page=99999999999999999999999', PAGE],
    ['page=1&page=1', 'page must be given once'],
    ['page=1&p%61ge=2', 'page must be given once'],
    ['pageSize=101', 'pageSize must be a whole number from 1 to 100'],
    ['hasVocals=1', 'hasVocals must be true or false'],
    ['hasVocals=TRUE', 'hasVocals must be true or false, in lower case'],
    ['hasVocals=True', 'hasVocals must be true or false, in lower case'],
    ['filterIds=&filterIds=', 'filterIds[0] must not be empty'],
    ['type=Music', 'type must be music or sfx (did you mean music?)'],
    ['type=', 'type must be music or sfx'],
    ['filterIds=a', 'filterIds[0] must be a UUID'],
    ['filterIds=,', 'filterIds[0] must not be empty'],
    [
      `filterIds=${Array(51).fill('a').join(',')}`,
      'filterIds must hold at most 50 entries, not 51',
    ],
    [Array(51).fill('filterIds=a').join('&'), 'filterIds must hold at most 50 entries, not 51'],
    ['filterIds=a&filterIds=', 'filterIds[1] must not be empty'],
    [`search=${'a'.repeat(201)}`, 'search must be at most 200 characters long'],
    ['search=a%00b', 'search must not hold the character NUL'],
    ['search=%ff', 'search must be UTF-8 in percent-encoding'],
    ['search=%ed%a0%80', 'search must be UTF-8 in percent-encoding'],
    ['search=%', 'search must be UTF-8 in percent-encoding'],
    ['%ff=1', 'query must be UTF-8 in percent-encoding'],
  ])('are refused: %s', async (query, message) => {
    const error = expectEnvelope(await get(`/v1/things?${query}`), 'invalid_request');
    expect(error.details![0]!.message).toBe(message);
    expect(error.message.startsWith(message)).toBe(true);
  });

  it('have a limit of 200 characters, not of bytes or code units', async () => {
    const clefs = encodeURIComponent('𝄞'.repeat(200));
    expect(expectData(await get(`/v1/things?search=${clefs}`))).toMatchObject({
      search: '𝄞'.repeat(200),
    });
  });

  it('report all problems together', async () => {
    const query = 'page=x&pageSize=0&type=song&filterIds=a,,b';
    const error = expectEnvelope(await get(`/v1/things?${query}`), 'invalid_request');
    expect(error.details!.map(({ field }) => field)).toEqual([
      'page',
      'pageSize',
      'type',
      'filterIds[1]',
    ]);
    expect(error.message).toBe(`${PAGE}; 3 more problems are listed in details.`);
  });

  it('are decoded once in the path, and the log keeps the raw URL', async () => {
    expect(expectData(await get('/v1/things/a%2Fb%2541?_=%7e'))).toEqual({
      slug: 'a/b%41',
      rawUrl: '/v1/things/a%2Fb%2541?_=%7e',
    });
  });
});

describe('bodies', () => {
  it('get the defaults', async () => {
    const data = expectData(await post('/v1/search', ' {"type":"sfx","filterIds":[]} '));
    expect(data).toEqual({ type: 'sfx', filterIds: [], page: 1, pageSize: 20 });
  });

  it.each<[string, string | Buffer, string]>([
    ['empty', '', 'body is empty; send a JSON object'],
    ['blank', ' \n', 'body is empty; send a JSON object'],
    ['truncated', '{"page": 1', 'body is not JSON: it ends too early'],
    ['not JSON', '{"page": 1,}', 'body is not JSON: line 1, column 12 is unexpected'],
    ['null', 'null', 'body must be an object'],
    ['an array', '[]', 'body must be an object'],
    ['a text', '"a"', 'body must be an object'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body must be UTF-8'],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 'body is not JSON: line 1, column 2 is unexpected'],
    [
      'nested 33 deep',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      'body must not be nested deeper than 32 levels',
    ],
    [
      'nested 10,000 deep',
      `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      'body must not be nested deeper than 32 levels',
    ],
    ['a member twice', '{"page": 1, "p\\u0061ge": 2}', 'page must be given once'],
    ['__proto__', '{"__proto__": {"a": 1}}', '__proto__ is not a member that a body may have'],
    [
      'constructor',
      '{"constructor": {"prototype": {}}}',
      'constructor is not a member that a body may have',
    ],
    [
      'a number as text',
      '{"page": "1"}',
      'page must be a whole number from 1 to 2147483647, without quotes',
    ],
    ['true as a number', '{"page": true}', 'page must be a whole number from 1 to 2147483647'],
    ['a fraction', '{"page": 1.5}', 'page must be a whole number from 1 to 2147483647'],
    ['a scalar as a list', '{"filterIds": "x"}', 'filterIds must be a list'],
    ['a null member', '{"type": null}', 'type must not be null; leave it out'],
    ['a null entry', '{"filterIds": [null]}', 'filterIds[0] must not be null; leave it out'],
    [
      'a misspelled member',
      '{"pagesize": 5}',
      'pagesize is not a member of this body (did you mean pageSize?)',
    ],
    ['a lone surrogate', '{"search": "\\ud800"}', 'search must not hold half of a surrogate pair'],
    ['NUL', '{"search": "a\\u0000"}', 'search must not hold the character NUL'],
  ])('%s', async (_what, body, message) => {
    const error = expectEnvelope(await post('/v1/search', body), 'invalid_request');
    expect(error.details![0]!.message).toBe(message);
  });

  it('get the list of known members if an unknown member resembles none of them', async () => {
    const error = expectEnvelope(await post('/v1/search', '{"zzzzzzzzz": 5}'), 'invalid_request');
    expect(error.message).toBe(
      'zzzzzzzzz is not a member of this body; the known members are search, type, hasVocals, filterIds, page and pageSize.',
    );
  });

  it('cannot change the prototype of objects', async () => {
    await post('/v1/search', '{"__proto__": {"polluted": 1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expectData(await post('/v1/search', '{}'));
  });

  it('are required, with or without a type', async () => {
    const headers = 'Content-Type: application/json\r\n';
    expectEnvelope(await get('/v1/search', `${AUTH}${headers}`, 'POST'), 'invalid_request');
    expectEnvelope(await get('/v1/search', AUTH, 'POST'), 'invalid_request');
  });

  it.each([
    ['no type', ''],
    ['text', 'Content-Type: text/plain\r\n'],
    ['another charset', 'Content-Type: application/json; charset=utf-16\r\n'],
    ['latin1', 'Content-Type: application/json;charset="ISO-8859-1"\r\n'],
    ['a malformed type', 'Content-Type: application/json; x\r\n'],
    ['a form where JSON is read', 'Content-Type: application/x-www-form-urlencoded\r\n'],
    ['gzip', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n'],
    ['two types', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n'],
    ['garbage', 'Content-Type: ;;;\r\n'],
  ])('are refused if they have another type: %s', async (_what, headers) => {
    const response = await post('/v1/search', '{}', AUTH + headers);
    expectEnvelope(response, 'unsupported_media_type');
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
  ])('are accepted with the type %s', async (type) => {
    expectData(await post('/v1/search', '{}', `${AUTH}Content-Type: ${type}\r\n`));
  });

  it('may have 64 KiB; a larger one gets an error, and the connection stays open', async () => {
    const client = await RawClient.open(fixture.port);
    const sent = (length: number) => {
      const body = `{"search": "${' '.repeat(length - 14)}"}`;
      return `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
    };
    expectEnvelope((await client.send(sent(65_536)).response())!, 'invalid_request');
    expectEnvelope((await client.send(sent(65_537)).response())!, 'payload_too_large');
    expectData((await client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`).response())!);
    client.close();
  });

  it('that are far too large get a response before their end, and the connection stays open', async () => {
    const client = await RawClient.open(fixture.port);
    const length = 5_000_000;
    client.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expectEnvelope((await client.response())!, 'payload_too_large');
    client.send(' '.repeat(length));
    expectData((await client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`).response())!);
    client.close();
  });

  it('have the same limit in chunks', async () => {
    const head = `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const response = await rawRequest(fixture.port, `${head}${chunk.repeat(5)}0\r\n\r\n`);
    expectEnvelope(response, 'payload_too_large');
    expectData(await rawRequest(fixture.port, `${head}2\r\n{}\r\n0\r\n\r\n`));
  });

  it('with an invalid chunk get the error as the response of their request', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(
      `POST /v1/search HTTP/1.1\r\n${HOST}${AUTH}X-Request-Id: mine\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    const response = (await client.response())!;
    expect(expectEnvelope(response, 'invalid_request').requestId).toBe('mine');
    expect(response.headers['ratelimit-limit']).toBeDefined();
    await client.untilClosed();
  });

  it('may be forms of strings, on routes that accept forms', async () => {
    const headers = 'Content-Type: application/x-www-form-urlencoded\r\n';
    const data = expectData(await post('/v1/form', 'name=a+b%C3%A9&other=1&__proto__=2', headers));
    expect(data).toMatchObject({ name: 'a bé', other: '1' });
    for (const form of ['name=a&name=b', 'name=%ff', '%ff=a', 'other=1', 'name=a%00']) {
      expectEnvelope(await post('/v1/form', form, headers), 'invalid_request');
    }
  });

  it('are ignored with GET', async () => {
    const client = await RawClient.open(fixture.port);
    client.send(`GET /version HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`);
    expectData((await client.response())!);
    client.send(`GET /version HTTP/1.1\r\n${HOST}\r\n`);
    expectData((await client.response())!);
    client.close();
  });
});
