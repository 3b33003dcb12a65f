import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { dnsResolver, hostResolver } from './resolver.ts';

const ADDRESSES: Record<string, readonly [type: number, address: number[]][]> = {
  'hooks.example': [
    [1, [93, 184, 216, 34]],
    [1, [127, 0, 0, 1]],
    [28, [0x20, 0x03, ...Array(13).fill(0), 1]],
  ],
  'one.example': [[1, [10, 0, 0, 7]]],
  'mapped.example': [[28, [...Array(10).fill(0), 0xff, 0xff, 10, 0, 0, 1]]],
};

/** A name server on loopback with these addresses. It fails queries for IPv6 addresses of `one.example`. */
async function nameServer(): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) {
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    }
    const question = query.subarray(12, at + 5);
    const [name, type] = [labels.join('.').toLowerCase(), query.readUInt16BE(at + 1)];
    const known = ADDRESSES[name];
    const found = known?.filter(([of]) => of === type) ?? [];
    const isFault = name === 'one.example' && type === 28;
    const code = isFault ? 2 : known === undefined ? 3 : 0;
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, found.length]);
    const answers = found.map(([of, bytes]) =>
      Buffer.from([0xc0, 12, 0, of, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, Buffer.alloc(4), question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

test('a resolver of names finds all addresses of both families', async () => {
  const { resolve } = dnsResolver([await nameServer()]);
  expect(await resolve('hooks.example')).toEqual(['93.184.216.34', '127.0.0.1', '2003::1']);
  expect(await resolve('mapped.example')).toEqual(['::ffff:10.0.0.1']);
  expect(await resolve('one.example')).toEqual(['10.0.0.7']);
  expect(await resolve('unknown.example')).toEqual([]);
});

test('the resolver of the machine reads its host file', async () => {
  expect(await hostResolver.resolve('localhost')).toContain('127.0.0.1');
  expect(await hostResolver.resolve('unknown.invalid')).toEqual([]);
});
