import type { Store } from '../../../src/features/store.ts';
import { until } from '../../harness/until.ts';
import { newCredentials, tokenOf } from './credentials.ts';
import type { Node } from './node.ts';

/** If the machine is too busy for so many bursts in turn, the test cannot show that the limit is shared. */
const MAX_BURSTS = 20;
const LIMIT = 600;
const REQUESTS = 900;

/**
 * Sends 900 requests of a client with a limit of 600. A node that is too busy to reach Redis within 0.1 s correctly
 * counts alone. Such a burst does not test the shared limit, so it is repeated.
 */
export async function sendBurst(
  store: Store,
  nodes: readonly Node[],
): Promise<{ overLimit: number; note: string }> {
  const metrics = (name: string) => Promise.all(nodes.map((node) => node.metric(name)));
  for (let attempt = 1; ; attempt++) {
    const shared = () => metrics('stave_rate_limit_shared');
    await until(async () => (await shared()).every((value) => value === 1), 'a shared limit');
    const before = await metrics('stave_rate_limit_local_total');
    const token = await tokenOf(nodes[0]!, await newCredentials(store, LIMIT));
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, i) => nodes[i % 3]!.send('GET', '/v1/me', { token })),
    );
    const after = await metrics('stave_rate_limit_local_total');
    if (attempt < MAX_BURSTS && after.some((total, i) => total !== before[i])) continue;
    const admitted = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 429).length;
    const others = replies.filter(({ status }) => status !== 200 && status !== 429);
    const unexpected = others.map(({ status }) => status).join(', ');
    return {
      overLimit: Math.max(0, admitted - LIMIT),
      note: `of 900 at once ${admitted} were admitted, ${refused} refused${unexpected && `, others: ${unexpected}`}`,
    };
  }
}
