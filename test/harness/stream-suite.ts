import { describe } from 'vitest';
import { streamAccess } from './stream-access.ts';
import { streamBytes } from './stream-bytes.ts';
import { type StreamServer, useStreamServer } from './stream-fixture.ts';

/** Tests `GET /media/stream/{id}` with any media store whose bytes Stave sends itself. */
export function streamSuite(title: string, start: () => Promise<StreamServer>): void {
  describe(`GET /media/stream/{id}, ${title}`, () => {
    useStreamServer(start);
    streamBytes();
    streamAccess();
  });
}
