import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Change } from '../../../src/engines/change-log/change-log.ts';
import type { Store } from '../../../src/features/store.ts';
import { until } from '../../harness/until.ts';
import type { Node } from './node.ts';
import { repeated } from './repeated.ts';
import type { Acknowledged } from './shopper.ts';

const PAGE = 100;
/** How long messages may take: the retries of a node that died are taken over after less than half a minute. */
const MESSAGES_MS = 180_000;

/** A message about a license or a collection. */
export interface Message {
  type: string;
  data: {
    number?: string;
    collectionId?: string;
    seq: number;
    fromSeq?: number;
    previousSeq: number;
    truncated?: boolean;
  };
}

/** How what is shown and sent differs from what was acknowledged. Each count must be 0. */
export interface ShopDifferences {
  /** Acknowledged licenses that a node does not show with their numbers, or whose certificates do not verify. */
  lostLicenses: number;
  /** Licenses that were not acknowledged, such as a second one for a quote. */
  surplusLicenses: number;
  /** Numbers of licenses that are missing or occur twice. */
  gaps: number;
  /** Acknowledged tracks of collections that a node does not show, and shown ones that were not acknowledged. */
  differingItems: number;
  /** Changes of licenses and collections of which there is no message. */
  lostMessages: number;
  /** Messages that name another message before them than there is. */
  brokenLinks: number;
}

/** Compares what a shopper has with what all nodes show, and with the messages that it received. */
export async function compareShop({
  store,
  nodes,
  token,
  acknowledged,
  messages,
}: {
  store: Store;
  nodes: readonly Node[];
  token: string;
  acknowledged: Acknowledged;
  messages: () => Message[];
}): Promise<ShopDifferences> {
  const differences = {
    ...{ lostLicenses: 0, surplusLicenses: 0, gaps: 0, differingItems: 0 },
    ...(await compareMessages(await changesOf(store, acknowledged.clientId), messages)),
  };
  for (const node of nodes) {
    const licenses = await licensesOf(node, token);
    const { licenses: bought, collections } = acknowledged;
    const lost = [...bought].filter(([quote, number]) => licenses.get(quote) !== number);
    differences.lostLicenses += lost.length;
    differences.surplusLicenses += [...licenses.keys()].filter((id) => !bought.has(id)).length;
    const counted = [...licenses.values()].map((number) => Number(number.split('-')[1]));
    counted.sort((a, b) => a - b);
    differences.gaps += counted.filter((count, i) => count !== i + 1).length;
    for (const [id, tracks] of collections) {
      const { items } = await node.data(`/v1/collections/${id}/tracks?pageSize=${PAGE}`, token);
      const shown = new Set<string>(items.map(({ track }: { track: { id: string } }) => track.id));
      const differing = [...tracks, ...shown].filter((one) => !(tracks.has(one) && shown.has(one)));
      differences.differingItems += differing.length;
    }
  }
  return differences;
}

/** Returns the numbers of the licenses that a node shows, by their quotes. Those without a valid certificate are left out. */
async function licensesOf(node: Node, token: string): Promise<Map<string, string>> {
  const keys = createLocalJWKSet(await node.data('/.well-known/jwks.json', token));
  const numbers = new Map<string, string>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const data = await node.data(`/v1/licenses?pageSize=${PAGE}&page=${page}`, token);
    for (const { quoteId, number, certificate } of data.items) {
      // Licenses of the last second begin in the future of whole seconds.
      const options = { typ: 'license+jwt', clockTolerance: 60 };
      const verified = await jwtVerify(certificate, keys, options).catch(() => undefined);
      // A second license of a quote is a surplus one.
      const key = numbers.has(quoteId) ? `${quoteId} again ${number}` : quoteId;
      if (verified?.payload.jti === number) numbers.set(key, number);
    }
    pages = data.totalPages;
  }
  return numbers;
}

/** Returns the changes of licenses and collections of a client. */
async function changesOf(store: Store, clientId: string): Promise<Change[]> {
  const entities = ['license', 'collection'] as const;
  const changes = await repeated(() =>
    store.changes.since(0, [...entities], Number.MAX_SAFE_INTEGER),
  );
  return changes.filter((change) => change.clientId === clientId);
}

/** Waits until there is a message of each change, and checks how they name each other. */
async function compareMessages(
  changes: readonly Change[],
  messages: () => Message[],
): Promise<Pick<ShopDifferences, 'lostMessages' | 'brokenLinks'>> {
  const lost = () => {
    const chains = chainsOf(messages());
    return changes.filter((change) => !isTold(change, chains.get(chainOf(change)) ?? []));
  };
  await until(() => lost().length === 0, 'all messages', MESSAGES_MS).catch(() => {});
  let brokenLinks = 0;
  for (const chain of chainsOf(messages()).values()) {
    brokenLinks += chain.filter(
      ({ data }, i) => i > 0 && data.previousSeq !== chain[i - 1]!.data.seq,
    ).length;
  }
  return { lostMessages: lost().length, brokenLinks };
}

function isTold({ seq }: Change, chain: readonly Message[]): boolean {
  return chain.some(({ data }) =>
    data.truncated === true ? seq >= data.fromSeq! && seq <= data.seq : seq === data.seq,
  );
}

const LICENSES = 'licenses';

function chainOf({ entity, entityId }: Change): string {
  return entity === 'license' ? LICENSES : entityId;
}

/** Returns the messages of each chain in order, without repetitions. */
function chainsOf(messages: readonly Message[]): Map<string, Message[]> {
  const once = new Map<string, Message>();
  for (const message of messages) {
    const { collectionId, seq } = message.data;
    once.set(`${collectionId ?? LICENSES} ${seq}`, message);
  }
  const sorted = [...once.values()].sort((a, b) => a.data.seq - b.data.seq);
  return Map.groupBy(sorted, ({ data }) => data.collectionId ?? LICENSES);
}
