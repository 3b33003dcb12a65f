import { Resolver as DnsQueries, lookup } from 'node:dns/promises';

/** Finds the addresses of host names. Tests implement it to change what a name resolves to. */
export interface Resolver {
  /** Returns all addresses of a name, without zones; none if it has none or no name server answers. Never rejects. */
  resolve(name: string): Promise<string[]>;
}

/** The most time that one query waits for a name server: 1.5 s, and again 3 s. */
const QUERY = { timeout: 1_500, tries: 2 };

/**
 * Returns a resolver that asks the name servers of the machine, or the given ones (`ADDRESS:PORT`). It does not read
 * `/etc/hosts` and appends no search domains. Partners choose the names, and their name servers may never answer:
 * these queries end after 4.5 seconds, and occupy no thread of the pool that files and other connections need.
 */
export function dnsResolver(servers?: readonly string[]): Resolver {
  const queries = new DnsQueries(QUERY);
  if (servers !== undefined) queries.setServers(servers);
  return {
    async resolve(name) {
      const answers = await Promise.allSettled([queries.resolve4(name), queries.resolve6(name)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
  };
}

/** Resolves as other programs of the machine do, `/etc/hosts` included. For development. */
export const hostResolver: Resolver = {
  async resolve(name) {
    const found = await lookup(name, { all: true }).catch(() => []);
    return found.map(({ address }) => address);
  },
};

/** Returns the resolver for URLs that may go to these targets. `nameServers` are those of `dnsResolver`. */
export function resolverFor(
  targets: 'public' | 'any',
  nameServers?: readonly string[] | undefined,
): Resolver {
  return targets === 'any' ? hostResolver : dnsResolver(nameServers);
}
