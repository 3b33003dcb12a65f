import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** An address record: its type (1 for IPv4, 28 for IPv6) and the bytes of the address. */
export type AddressRecord = readonly [type: number, address: readonly number[]];

/** A name server on loopback. */
export interface NameServer extends Disposable {
  /** `ADDRESS:PORT` */
  address: string;
}

/**
 * Starts a name server.
 * @param recordsOf returns the records of a name; undefined if it does not exist, 'fault' if the query fails
 */
export async function startNameServer(
  recordsOf: (name: string, type: number) => readonly AddressRecord[] | undefined | 'fault',
): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) {
      labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const known = recordsOf(labels.join('.').toLowerCase(), type);
    const records = known === 'fault' ? [] : (known ?? []);
    const found = records.filter(([of]) => of === type);
    const code = known === 'fault' ? 2 : known === undefined ? 3 : 0;
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, found.length]);
    const answers = found.map(([of, bytes]) =>
      Buffer.from([0xc0, 12, 0, of, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, Buffer.alloc(4), question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.dispose]: () => void socket.close(),
  };
}
