import type { Command } from 'commander';
import { renewLogEpoch } from '../../engines/change-log/log-epoch.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';
import { isoTime } from './terminal/arguments.ts';

/** `stave changes status | new-epoch`. */
export function changesCommand(shell: Shell): Command {
  return group('changes', 'Show and renew what positions in the change log depend on', [
    command('status', 'Show how far the change log reaches', {
      description:
        'Positions before the floor are no longer valid, because changes of tracks after them have expired. ' +
        'Only each node knows the requests that wait for changes: see its metric stave_changes_waiting_behind.',
      examples: [['stave changes status --json', 'for a script']],
    }).action(async (options) => {
      const bounds = await withContext(shell, ({ store }) => store.changes.bounds());
      const { head, headAt, floor, floorAt, epoch } = bounds;
      const result = {
        head,
        headAt: timeOf(headAt),
        floor,
        floorAt: timeOf(floorAt),
        epoch,
      };
      outputOf(shell, options).result(
        result,
        () =>
          `head ${at(head, headAt)}, floor ${at(floor, floorAt)}, epoch ${epoch ?? 'none before the first start'}`,
      );
    }),
    command('new-epoch', 'Declare all earlier positions in the change log invalid', {
      description:
        'Run it after PostgreSQL was restored to an earlier moment, and after a failover that lost changes: ' +
        'the numbers of lost changes are assigned again. Partners that follow the changes then load the ' +
        'catalog again. `stave restore` does it by itself.',
      examples: [['stave changes new-epoch', 'before the nodes start on the restored database']],
    }).action(async (options) => {
      const epoch = await withContext(shell, ({ store }) => renewLogEpoch(store.settings));
      outputOf(shell, options).result({ epoch }, () => `new epoch: ${epoch}`);
    }),
  ]);
}

function timeOf(at: number): string | null {
  return at === 0 ? null : isoTime(at);
}

function at(seq: number, time: number): string {
  return time === 0 ? String(seq) : `${seq} (${isoTime(time)})`;
}
