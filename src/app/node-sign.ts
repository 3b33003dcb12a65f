import { hostname } from 'node:os';
import { newId } from '../common/ids.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import { PeriodicTasks } from '../common/work/periodic-tasks.ts';
import type { RunningNode } from '../engines/tasks/nodes.ts';
import type { AppContext } from './open/context.ts';

const SIGN_MS = 15_000;

/** Shows every 15 seconds in the database that a node runs, with the time of its own clock. Removes that at the stop. */
export function nodeSign({ config, store, clock, log }: AppContext) {
  const node: RunningNode = {
    node: newId(),
    host: hostname(),
    pid: process.pid,
    version: SERVICE_VERSION,
    dataFolder: config.dataFolder,
  };
  const tasks = new PeriodicTasks({
    tasks: [
      { name: 'showing the node in the database', run: () => store.nodes.seen(node, clock.now()) },
    ],
    intervalMs: SIGN_MS,
    // The service does not depend on it.
    onError: (error, { name }) => log.debug({ err: error }, `${name} failed`),
  });
  return {
    start: () => tasks.start(),
    async stop() {
      await tasks.stop();
      if (store.isReachable()) await store.nodes.gone(node.node).catch(() => {});
    },
  };
}
