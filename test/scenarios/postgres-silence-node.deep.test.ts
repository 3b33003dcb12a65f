import { afterEach, describe, expect, it } from 'vitest';
import { BY } from '../harness/deliveries.ts';
import { openOn } from '../harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL } from '../harness/services.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { startTestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

/** A lost connection is detected after two seconds; the rest allows for two busy cores. */
const KNOWN_MS = 8_000;

const disposals: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

describe.skipIf(POSTGRES_URL === undefined)('when open connections to PostgreSQL go silent', () => {
  /** Opens a link to the server of a URL, and returns the URL through the link. */
  async function linkTo(address: string): Promise<{ link: TcpLink; url: string }> {
    const url = new URL(address);
    const link = await openLink(Number(url.port || 5432));
    disposals.push(() => link[Symbol.asyncDispose]());
    url.port = String(link.port);
    return { link, url: url.href };
  }

  it('a node sees revocations and takedowns within seconds, and stays healthy', async () => {
    const own = await createDatabase();
    disposals.push(() => own.drop());
    const { link, url } = await linkTo(own.url);
    const server = await startTestServer({
      config: { database: { url, pool: 4 } },
    });
    disposals.push(() => server.close());
    const client = await server.createClient();
    const token = await client.token();
    const list = () => server.call('listTracks', { token });
    const { data } = await list();
    const operator = await openOn(own.url);
    disposals.push(() => operator.close());
    const [first] = data.items as { id: string }[];
    await until(async () => {
      const { status } = await server.http.send('GET', '/health-check');
      return status === 200;
    });

    link.silence();
    await setTrackState(operator, first!.id, 'taken_down', BY);
    const start = performance.now();
    await until(
      async () => {
        const { data: page } = await list();
        return (page.items as { id: string }[]).every(({ id }) => id !== first!.id);
      },
      'the takedown',
      20_000,
    );
    expect(performance.now() - start).toBeLessThan(KNOWN_MS);

    link.silence();
    await operator.clients.update(client.clientId, { enabled: false }, BY);
    const disabledAt = performance.now();
    await until(async () => (await list()).status !== 200, 'the end of the token', 20_000);
    expect(performance.now() - disabledAt).toBeLessThan(KNOWN_MS);
    expect((await server.http.send('GET', '/health-check')).status).toBe(200);
  });
});
