import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { repeatedWhileOverloaded } from './overload.ts';

/** An HTTP response with its whole body. */
export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends real requests to one service, over connections that it reuses. */
export class HttpCaller {
  readonly #base: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(baseUrl: string) {
    this.#base = new URL(baseUrl);
  }

  /**
   * Repeats the request while the node refuses it because of overload.
   * @param path path and query, sent unchanged.
   */
  send(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders = {},
    body?: string | Buffer,
  ): Promise<RawResponse> {
    return repeatedWhileOverloaded(
      () => this.#sendOnce(method, path, headers, body),
      (response) => response.body.toString('utf8'),
    );
  }

  #sendOnce(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    body: string | Buffer | undefined,
  ): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: this.#base.hostname,
          port: this.#base.port,
          method,
          path,
          agent: this.#agent,
          headers: {
            ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
            ...headers,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode!,
              headers: incoming.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
