import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { systemClock } from '../../common/clock.ts';
import { answering, anywhere, listener, message, resolving } from './deliver.test-support.ts';
import { Deliverer } from './deliver.ts';
import { endpointUrlProblem, hostResolver, type Resolver } from './endpoint-url.ts';

const publicOnly = (resolver: Resolver) =>
  new Deliverer({ targets: 'public', resolver, clock: systemClock });
const EXAMPLE = '93.184.216.34';

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
  '[::1]',
])('a URL that names loopback, https://%s, reaches no listener', async (host) => {
  const { port, connections } = await listener();
  const resolver = resolving([EXAMPLE]);
  const attempt = await publicOnly(resolver).deliver(message(`https://${host}:${port}/`));
  expect(attempt).toMatchObject({ delivered: false, error: 'invalid_url', httpStatus: null });
  expect(await connections()).toBe(0);
});

test.each(['localhost', 'localhost.', 'LOCALHOST'])('%s reaches no listener', async (host) => {
  const { port, connections } = await listener();
  const attempt = await publicOnly(hostResolver).deliver(message(`https://${host}:${port}/`));
  expect(attempt).toMatchObject({ delivered: false, httpStatus: null });
  expect(attempt.error).toMatch(/^(?:address_not_public|name_not_resolved)$/);
  expect(await connections()).toBe(0);
});

test('a name that is rebound between registration and connection reaches no listener', async () => {
  const { port, connections } = await listener();
  const url = `https://hooks.example:${port}/`;
  const resolver = resolving([EXAMPLE], ['127.0.0.1']);
  expect(await endpointUrlProblem(url, 'public', resolver)).toBeNull();
  expect(await publicOnly(resolver).deliver(message(url))).toMatchObject({
    error: 'address_not_public',
  });
  expect(await connections()).toBe(0);
});

test.each([
  [[EXAMPLE, '127.0.0.1']],
  [['127.0.0.1', EXAMPLE]],
  [['2606:2800:220:1::1', '::1']],
  [[EXAMPLE, '::ffff:127.0.0.1']],
])('a name with a private address among others is refused: %j', async (addresses) => {
  const { port, connections } = await listener();
  const attempt = await publicOnly(resolving(addresses)).deliver(
    message(`https://hooks.example:${port}/`),
  );
  expect(attempt.error).toBe('address_not_public');
  expect(await connections()).toBe(0);
});

test('a name is resolved once, and the connection goes to the address that was checked', async () => {
  const { port } = await answering('HTTP/1.1 204 No Content\r\n\r\n');
  const resolver = resolving(['127.0.0.1'], ['192.0.2.1']);
  const attempt = await anywhere({ resolver }).deliver(message(`http://hooks.example:${port}/`));
  expect(attempt).toMatchObject({ delivered: true, httpStatus: 204 });
  expect(resolver.asked).toEqual(['hooks.example']);
});

test('http is refused with public targets', async () => {
  const attempt = await publicOnly(resolving([EXAMPLE])).deliver(message('http://hooks.example/'));
  expect(attempt.error).toBe('invalid_url');
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const target = await listener();
  const location = `http://127.0.0.1:${target.port}/latest/meta-data/`;
  const { port } = await answering(
    `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
  );
  const attempt = await anywhere().deliver(message(`http://127.0.0.1:${port}/`));
  expect(attempt).toMatchObject({ delivered: false, httpStatus: status, error: null });
  expect(await target.connections()).toBe(0);
});

test('a redirect to the metadata service is a failure', async () => {
  const { port } = await answering(
    'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n',
  );
  const attempt = await anywhere().deliver(message(`http://127.0.0.1:${port}/`));
  expect(attempt).toMatchObject({ delivered: false, httpStatus: 302 });
});

test('of an endless response, 16 KiB are read', async () => {
  const server = await listener((socket) => {
    const more = () => {
      while (socket.writable && socket.write('x'.repeat(8_192)));
    };
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('drain', more);
      more();
    });
  });
  const attempt = await anywhere().deliver(message(`http://127.0.0.1:${server.port}/`));
  expect(attempt).toMatchObject({ delivered: true, httpStatus: 200, error: null });
  expect(attempt.response).toBe('x'.repeat(1_024));
  await until(
    () => server.sockets.every(({ destroyed }) => destroyed),
    'the end of the connection',
  );
});

test.each([
  ['large', `X-Filler: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['many', `${'X-Filler: x\r\n'.repeat(2_000)}\r\n`],
  ['endless', `${'X-Filler: x\r\n'.repeat(20_000)}`],
])('%s headers are refused', async (_what, headers) => {
  const { port } = await answering(`HTTP/1.1 200 OK\r\n${headers}`);
  expect(await anywhere().deliver(message(`http://127.0.0.1:${port}/`))).toMatchObject({
    delivered: false,
    httpStatus: null,
    error: 'invalid_response',
  });
});

test('endless responses with 1xx are refused', async () => {
  const server = await listener((socket) => {
    const more = () => {
      while (socket.writable && socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    };
    socket.on('drain', more).once('data', more);
  });
  const attempt = await anywhere().deliver(message(`http://127.0.0.1:${server.port}/`));
  expect(attempt).toMatchObject({ delivered: false, httpStatus: null, error: 'invalid_response' });
});

test.each([
  ['headers', 'HTTP/1.1 200 OK\r\nX-Filler: '],
  ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n'],
  ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;'],
])('single bytes of %s do not prolong an attempt', async (_what, begin) => {
  const server = await listener((socket) => {
    socket.once('data', () => {
      socket.write(begin);
      const dribbling = setInterval(() => socket.write('x'), 50);
      socket.once('close', () => clearInterval(dribbling));
    });
  });
  const attempt = await anywhere({ answerMs: 1_000 }).deliver(
    message(`http://127.0.0.1:${server.port}/`),
  );
  expect(attempt).toMatchObject({ delivered: false, error: 'timeout' });
  await until(
    () => server.sockets.every(({ destroyed }) => destroyed),
    'the end of the connection',
  );
});

test('variables that name a proxy have no effect', async () => {
  const [proxy, target] = [
    await listener(),
    await answering('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend'),
  ];
  const variables = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const program = `
    const { Deliverer } = await import('${new URL('./deliver.ts', import.meta.url)}');
    const resolver = { resolve: async () => ['127.0.0.1'] };
    const sender = new Deliverer({ targets: 'any', resolver, clock: { now: () => 0 } });
    const url = 'http://hooks.example:${target.port}/';
    console.log(JSON.stringify(await sender.deliver({ url, headers: {}, body: Buffer.from('{}') })));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, ...variables, NO_PROXY: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(JSON.parse(printed)).toMatchObject({ httpStatus: 200, response: 'end' });
  expect(await proxy.connections()).toBe(0);
});
