import { afterAll, beforeAll } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { delivery } from './catalog.ts';
import type { RawResponse } from './http.ts';
import { RenditionMaker } from './renditions.ts';
import { startTestServer, type TestClient, type TestServer } from './test-server.ts';

/** The names of the members with URLs of previews, and the operations that they lead to. */
export const PREVIEW_MEMBERS = {
  previewUrl: 'streamPreview',
  waveformUrl: 'readWaveform',
  waveformDataUrl: 'readWaveform',
} as const;

export type PreviewMember = keyof typeof PREVIEW_MEMBERS;

/** The tracks of a PreviewServer. The audio of the first one has 40 seconds, whose loudest passage is the end. */
export const TRACKS = {
  sounding: 0,
  silent: 1,
  damaged: 2,
  lost: 3,
} as const;

/** A server with tracks, and a client that sees previews. */
export interface PreviewServer {
  server: TestServer;
  client: TestClient;
  /** Returns a track as the client sees it. */
  show(number: number, token?: string): Promise<Record<string, string>>;
  /** Requests a URL, and compares the response with the OpenAPI document. */
  get(
    url: string,
    operationId: string,
    options?: { headers?: Record<string, string>; method?: string },
  ): Promise<RawResponse>;
  /** Requests the URL of a member of a track. */
  open(
    number: number,
    member: PreviewMember,
    options?: { headers?: Record<string, string>; method?: string },
  ): Promise<RawResponse>;
  /** Makes what is queued until a request has its response. First prepares the clip of `sounding` that begins at a second. */
  whileMaking<Response>(begin: () => Promise<Response>, previewStart?: number): Promise<Response>;
}

/** Starts a PreviewServer before the tests of a file. */
export function usePreviewServer(): () => PreviewServer {
  let started: PreviewServer;
  beforeAll(async () => {
    started = await startPreviewServer();
  });
  afterAll(() => started?.server.close());
  return () => started;
}

/** Starts a PreviewServer. Close its `server`. */
export async function startPreviewServer(): Promise<PreviewServer> {
  const server = await startTestServer({ tracks: [] });
  const { media } = server.operator;
  const put = async (bytes: Buffer) => (await media.putBytes(bytes, 'wav')).key;
  const maker = new RenditionMaker(server.operator);
  const audioKey = await put(rising());
  await maker.prepare(audioKey);
  await server.deliver([
    delivery(TRACKS.sounding, { audioKey }),
    delivery(TRACKS.silent),
    delivery(TRACKS.damaged, { audioKey: await put(Buffer.from('no audio at all')) }),
    delivery(TRACKS.lost, { audioKey: `${'0'.repeat(64)}.wav` }),
  ]);
  const client = await server.createClient({ scopes: ALL_SCOPES, features: ['previews'] });
  const call = async (number: number, token: string) =>
    server.call('showTrack', { token, params: { slug: delivery(number).id } });
  await server.until(async () => (await call(3, await client.token())).status === 200);
  const show: PreviewServer['show'] = async (number, token) =>
    (await call(number, token ?? (await client.token()))).data;
  const get: PreviewServer['get'] = async (url, operationId, { headers, method = 'GET' } = {}) => {
    const response = await server.http.send(method, url.slice(server.address.length), headers);
    if (method !== 'HEAD') server.contract.check(operationId, response);
    return response;
  };
  return {
    server,
    client,
    show,
    get,
    open: async (number, member, options) =>
      get((await show(number))[member]!, PREVIEW_MEMBERS[member], options),
    async whileMaking(begin, previewStart) {
      await maker.prepare(audioKey, previewStart);
      const request = begin();
      const settled = request.then(
        () => true,
        () => true,
      );
      await server.until(async () => {
        await maker.makeQueued();
        return Promise.race([settled, Promise.resolve(false)]);
      });
      return request;
    },
  };
}

/** A tone of 40 seconds in stereo. It becomes louder, and the channels differ. */
function rising(): Buffer {
  const channel = (share: number) =>
    tone(40, 44_100, (second) => (share * (second + 1)) / 41, 441 * share);
  return wavFile([channel(1), channel(0.5)]);
}

/** The status and the kind of an error. */
export function errorOf({ status, body }: RawResponse): [number, string] {
  return [status, JSON.parse(body.toString('utf8')).error.type];
}

/** The message of an error. */
export function messageOf({ body }: RawResponse): string {
  return JSON.parse(body.toString('utf8')).error.message;
}
