import { afterAll, beforeAll } from 'vitest';
import { delivery } from './catalog.ts';
import type { RawResponse } from './http.ts';
import type { TestClient, TestServer } from './test-server.ts';
import { wav } from './wav.ts';

/** A Stave server with the media store under test. */
export interface StreamServer {
  server: TestServer;
  /** Returns how many reads of the key are open in the store. */
  openReads(key: string): Promise<number>;
  close(): Promise<void>;
}

/** The audio of the track "With audio". */
export const file = wav();
/** The server that `useStreamServer` has started. */
export let started: StreamServer;
export let server: TestServer;
export let client: TestClient;
/** The media key of `file`. */
export let audioKey: string;
/** The signed path of "With audio". */
export let url: string;

/** Starts the server before the tests of a suite, with four tracks: with audio, without, taken down, and lost. */
export function useStreamServer(start: () => Promise<StreamServer>): void {
  beforeAll(async () => {
    started = await start();
    server = started.server;
    audioKey = (await server.operator.media.putBytes(file, 'wav')).key;
    await server.deliver([
      delivery(0, { name: 'With audio', audioKey }),
      delivery(1, { name: 'Without audio' }),
      delivery(2, { name: 'Taken down', audioKey }),
      delivery(3, { name: 'Lost', audioKey: `${'0'.repeat(64)}.mp3` }),
    ]);
    client = await server.createClient();
    await server.until(async () => (await list('')).length === 4);
    url = await streamUrl('With audio');
  });
  afterAll(() => started?.close());
}

/** Returns the signed path of the track with that name. */
export async function streamUrl(name: string): Promise<string> {
  const [track] = await list(name);
  return track!.streamUrl.slice(server.address.length);
}

/** Returns the tracks that a search finds; all tracks for an empty text. */
export async function list(search: string): Promise<{ id: string; streamUrl: string }[]> {
  const token = await client.token();
  const query = search === '' ? undefined : { search };
  return (await server.call('listTracks', { token, ...(query && { query }) })).data.items;
}

/** Sends a request, and compares the response with the OpenAPI document. */
export async function get(headers: Record<string, string> = {}, method = 'GET', path = url) {
  const response = await server.http.send(method, path, headers);
  server.contract.check('streamTrack', response);
  return response;
}

export const errorType = ({ body }: RawResponse) => JSON.parse(body.toString()).error.type;
