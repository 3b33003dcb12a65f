import { hostname } from 'node:os';
import type { Config } from '../../app/config/config.ts';
import type { AppContext } from '../../app/open/context.ts';
import { counted } from '../../common/text/shown.ts';
import { holderOf, type LockHolder } from '../../engines/sql/sqlite/folder-lock.ts';
import type { SeenNode } from '../../engines/tasks/nodes.ts';
import { type Finding, type Found, ok, warning } from './finding.ts';

/** A greater difference affects tokens and signed URLs, and misleads people who compare logs. */
const MAX_SKEW_MS = 2_000;
const SAME_SETTINGS =
  'run commands with the settings of the service; with systemd, as `sudo stave`';

/**
 * Checks whether running services use the same store as these settings. The nodes in the store, the data folder and the
 * port show which services run.
 *
 * @param isServing whether a Stave answers at the port of these settings
 */
export async function checkService(context: AppContext, isServing: boolean): Promise<Found> {
  const { config, store } = context;
  const own = store.tables.place;
  const holder = holderOf(config.dataFolder);
  if (holder?.place !== undefined && holder.place !== own) return usesAnother(holder, own);
  const nodes = await runningNodes(context, holder);
  const elsewhere = nodes.find(
    ({ host, dataFolder }) => host === hostname() && dataFolder !== config.dataFolder,
  );
  if (elsewhere !== undefined && !nodes.some((node) => node.dataFolder === config.dataFolder)) {
    return warning(
      `process ${elsewhere.pid} uses ${own} with the data folder ${elsewhere.dataFolder}, and these settings name ${config.dataFolder}`,
      SAME_SETTINGS,
    );
  }
  if (nodes.length > 0) {
    const shown = nodes.slice(0, 8).map(({ host, pid, version }) => `${host} (${pid}, ${version})`);
    const more = nodes.length > shown.length ? ', …' : '';
    return ok(
      `${counted(nodes.length, 'node uses', 'nodes use')} ${own}: ${shown.join(', ')}${more}`,
    );
  }
  return isServing
    ? warning(
        `a service answers at the port, and no node shows that it uses ${own}: it has another store, is of an older version, or began just now`,
        SAME_SETTINGS,
      )
    : ok(`none runs on ${own}`);
}

/** For settings whose store does not exist. */
export function checkHolder({ dataFolder }: Config): Finding[] {
  const holder = holderOf(dataFolder);
  if (holder?.place === undefined) return [];
  return [{ check: 'service', ...usesAnother(holder, 'none that exists') }];
}

/** Compares the clocks of the database and of the nodes with each other. */
export async function checkSkew(context: AppContext): Promise<Found> {
  const { clock, config, store } = context;
  const before = clock.now();
  const database = await store.nodes.now();
  // The database read its clock between the two moments.
  const own = (before + clock.now()) / 2;
  const nodes = await runningNodes(context, holderOf(config.dataFolder));
  const clocks = [
    { name: 'this machine', aheadMs: own - database },
    ...nodes.map((node: SeenNode) => ({
      name: `${node.host} (${node.pid})`,
      aheadMs: node.aheadMs,
    })),
  ];
  const most = Math.max(...clocks.map(({ aheadMs }) => Math.abs(aheadMs)));
  const shown = clocks
    .filter(({ aheadMs }) => most <= MAX_SKEW_MS || Math.abs(aheadMs) > MAX_SKEW_MS)
    .slice(0, 8)
    .map(({ name, aheadMs }) => `${name} ${signed(aheadMs)}`)
    .join(', ');
  return most > MAX_SKEW_MS
    ? warning(
        `against the clock of the database: ${shown}`,
        'set the clocks (NTP) of the machines and of the database server',
      )
    : ok(`against the clock of the database: ${shown}`);
}

/** A node that was killed counts as running for a minute. With SQLite, the lock of the data folder tells at once. */
async function runningNodes(
  { config, store }: AppContext,
  holder: LockHolder | undefined,
): Promise<SeenNode[]> {
  const nodes = await store.nodes.running();
  return config.database === null
    ? nodes.filter(({ host, pid }) => host === holder?.host && pid === holder.pid)
    : nodes;
}

function usesAnother({ pid, host, place }: LockHolder, own: string): Found {
  return warning(
    `the service of this data folder (process ${pid} on ${host}) uses ${place}, and these settings name ${own}`,
    SAME_SETTINGS,
  );
}

function signed(ms: number): string {
  const seconds = (ms / 1_000).toFixed(1);
  return `${ms < 0 ? '' : '+'}${seconds} s`;
}
