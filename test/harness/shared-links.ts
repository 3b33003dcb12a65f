import { delivery } from './catalog.ts';
import { keptLog, type LogLine } from './log-lines.ts';
import { startTestServer, type TestClient, type TestServer } from './test-server.ts';
import { wav } from './wav.ts';

/** A link as its owner gets it, with the token in its address. */
interface TestLink {
  id: string;
  token: string;
  version: number;
  url: string;
}

/** A server with three tracks with audio, and a client with a collection of two of them. */
export interface LinkServer {
  server: TestServer;
  owner: TestClient;
  lines: LogLine[];
  /** The ids of the three tracks. */
  trackIds: string[];
  collection: string;
  /** Calls an operation as the owner, on the collection. */
  asOwner(
    operationId: string,
    options?: Parameters<TestServer['call']>[1],
  ): ReturnType<TestServer['call']>;
  link(body?: object): Promise<TestLink>;
  end(link: TestLink): Promise<unknown>;
  /** What a guest reads. */
  read(token: string, headers?: Record<string, string>): ReturnType<TestServer['call']>;
  /** The status and the type of error of a URL of media. */
  media(url: string): Promise<[number, string | undefined]>;
}

export async function startLinkServer(
  config: Parameters<typeof startTestServer>[0] = {},
): Promise<LinkServer> {
  const { log, lines } = keptLog();
  const server = await startTestServer({ tracks: [], log, ...config });
  const { key: audioKey } = await server.operator.media.putBytes(wav(), 'wav');
  const tracks = [0, 1, 2].map((n) => delivery(n, { audioKey, previewKey: audioKey }));
  await server.deliver(tracks);
  const trackIds = tracks.map(({ id }) => id);
  const owner = await server.createClient({ features: ['saved-searches', 'previews'] });
  const asOwner: LinkServer['asOwner'] = async (operationId, { params, ...options } = {}) =>
    server.call(operationId, {
      // The clock may have been advanced beyond the end of an earlier one.
      token: await owner.token({ fresh: true }),
      params: { id: collection, ...params },
      ...options,
    });
  await server.until(async () => {
    const { data } = await server.call('listTracks', { token: await owner.token() });
    return data.totalRecords === 3;
  });
  const { data } = await server.call('createCollection', {
    token: await owner.token(),
    body: { name: 'Spring', description: 'Two ideas', tracks: trackIds.slice(0, 2) },
  });
  const collection: string = data.id;
  return {
    ...{ server, owner, lines, trackIds, collection, asOwner },
    async link(body = {}) {
      const { data: made } = await asOwner('createCollectionLink', { body });
      return { ...made, token: made.url.split('/').at(-1) };
    },
    end: ({ id }) =>
      asOwner('deleteCollectionLink', { params: { linkId: id }, headers: { 'If-Match': '*' } }),
    read: (token, headers = {}) => server.call('readShared', { params: { token }, headers }),
    async media(url) {
      const { status, headers, body } = await server.http.send(
        'GET',
        url.slice(server.address.length),
      );
      const isError = String(headers['content-type']).startsWith('application/json');
      return [status, isError ? JSON.parse(body.toString()).error?.type : undefined];
    },
  };
}
