import type { AppContext } from '../app/open/context.ts';

/** The name of the setting with the address at which a console has started last. */
const ADDRESS = 'console_address';

type Console = NonNullable<AppContext['config']['console']>;

/** Returns the address at which browsers on this machine, or by a proxy, reach a console on this port. */
export function consoleAddress({ url, host }: Console, port: number, isTls: boolean): string {
  if (url !== null) return url;
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  const name = reachable.includes(':') && !reachable.startsWith('[') ? `[${reachable}]` : reachable;
  return `${isTls ? 'https' : 'http'}://${name}:${port}`;
}

/** Stores the address of a console that starts, for commands that do not have its settings. */
export async function storeConsoleAddress(
  { store: { settings } }: Pick<AppContext, 'store'>,
  address: string,
): Promise<void> {
  if ((await settings.get(ADDRESS)) !== address) await settings.set(ADDRESS, address);
}

/** Returns the address of the console of the configuration, otherwise of the one that has started last; null if none has. */
export async function findConsoleAddress({
  config: { console: given, tls },
  store,
}: Pick<AppContext, 'config' | 'store'>): Promise<string | null> {
  // The system chooses port 0.
  if (given !== null && (given.url !== null || given.port !== 0)) {
    return consoleAddress(given, given.port, tls !== null);
  }
  return (await store.settings.get(ADDRESS)) ?? null;
}
