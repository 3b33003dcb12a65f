import { truncate } from 'node:fs/promises';
import { afterAll, beforeAll } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import { type Log, silentLog } from '../../src/common/log.ts';
import type { DeliveredPart } from '../../src/features/catalog/track-parts.ts';
import { delivery } from './catalog.ts';
import type { RawResponse } from './http.ts';
import { startTestServer, type TestClient, type TestServer } from './test-server.ts';
import { wav } from './wav.ts';

/** The bytes of the parts of the first track of a PartsServer: twelve stems, then two versions. */
export const AUDIO = Array.from({ length: 14 }, (_, i) => wav(1_000 + 500 * i));
const STEM_KINDS = ['drums', 'drums', 'bass', 'backing_vocals', 'fx', 'keys', 'synth', 'strings'];
const KINDS = [...STEM_KINDS, 'brass', 'melody', 'harmony', 'other', 'cutdown', 'instrumental'];

/** A part as `GET /v1/tracks/{slug}/stems` shows it. */
interface ShownPart {
  id: string;
  url: string;
}

/** The data of `GET /v1/tracks/{slug}/stems`. */
interface ShownParts {
  trackId: string;
  stems: ShownPart[];
  versions: ShownPart[];
  archiveUrl: string;
  urlsExpireAt: string;
}

/** A server with tracks, and a client that has the feature `stems`. The parts are those of the track `night-ferry`. */
export interface PartsServer {
  server: TestServer;
  client: TestClient;
  stems: readonly DeliveredPart[];
  versions: readonly DeliveredPart[];
  /** Returns what the client sees of the parts of a track. */
  show(slug?: string): Promise<ShownParts>;
  /** Requests a URL, and compares the response with the OpenAPI document. */
  get(
    url: string,
    options?: { headers?: Record<string, string>; method?: string },
  ): Promise<RawResponse>;
  /** Gives the track of this number a stem of zeros, without writing them, and returns what the client sees. */
  withLargeStem(number: number, sizeBytes: number): Promise<ShownParts & { audioKey: string }>;
}

/** Starts a PartsServer before the tests of a file. */
export function usePartsServer(log?: Log): () => PartsServer {
  let started: PartsServer;
  beforeAll(async () => {
    started = await startPartsServer(log);
  });
  afterAll(() => started?.server.close());
  return () => started;
}

async function startPartsServer(log: Log = silentLog): Promise<PartsServer> {
  const server = await startTestServer({ tracks: [], log });
  const { media } = server.operator;
  const parts = await Promise.all(
    AUDIO.map(async (bytes, i): Promise<DeliveredPart> => {
      const { key, sizeBytes } = await media.putBytes(bytes, 'wav');
      const name = i === 0 ? 'Kit' : null;
      return { kind: KINDS[i]!, name, durationSeconds: 184, audioKey: key, sizeBytes };
    }),
  );
  const [stems, versions] = [parts.slice(0, 12), parts.slice(12)];
  await server.deliver([
    delivery(0, { stems, versions, audioKey: stems[0]!.audioKey }),
    delivery(1),
  ]);
  const client = await server.createClient({ scopes: ALL_SCOPES, features: ['stems'] });
  const show: PartsServer['show'] = async (slug = 'night-ferry') => {
    const token = await client.token();
    return (await server.call('listStems', { token, params: { slug } })).data;
  };
  return {
    ...{ server, client, stems, versions, show },
    async get(url, { headers, method = 'GET' } = {}) {
      const path = url.replace(server.address, '');
      const response = await server.http.send(method, path, headers);
      const operationId = path.startsWith('/media/part/') ? 'streamPart' : 'streamArchive';
      if (method !== 'HEAD') server.contract.check(operationId, response);
      return response;
    },
    async withLargeStem(number, sizeBytes) {
      const { key: audioKey } = await media.putBytes(Buffer.from(`large ${number}`), 'wav');
      await truncate(media.localPath!(audioKey), sizeBytes);
      const stem = { kind: 'other', name: null, durationSeconds: 0, audioKey, sizeBytes };
      const track = delivery(number, { stems: [stem] });
      await server.deliver([track]);
      return { ...(await show(track.id)), audioKey };
    },
  };
}
