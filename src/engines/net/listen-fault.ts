import { createServer } from 'node:net';

/** Returns the error that prevents listening; undefined if there is none. */
export function listenFault(address: {
  host: string;
  port: number;
}): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', resolve);
    probe.listen({ ...address, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
