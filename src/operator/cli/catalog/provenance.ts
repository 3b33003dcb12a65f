import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import type { SourceProvenance } from '../../../features/catalog/provenance.ts';
import type { Store } from '../../../features/store.ts';
import { command, type Shell } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { listOf } from '../terminal/table.ts';

const UNSET = 'unset';
const TRAINING = { yes: true, no: false, [UNSET]: null };

interface Options {
  source?: string;
  training?: keyof typeof TRAINING;
  ai?: NonNullable<SourceProvenance['ai']> | typeof UNSET;
}

export function provenanceCommand(shell: Shell): Command {
  return command(shell, 'provenance', 'Say what holds for tracks whose records say nothing of it', {
    hasTable: true,
    description:
      'Sets the default of a source: whether machines may learn from its tracks, and how much of them a machine made. It ' +
      'holds for each track whose record does not say it, also for later ones, and is shown as if the record said it. ' +
      'Partners get an update of each of these tracks. A command that was killed can be repeated. Without options, lists ' +
      'the defaults.',
    examples: [
      ['stave tracks provenance --source label-a --training no', 'media say so within a second'],
      ['stave tracks provenance --source label-a --ai none', 'nothing was made by a machine'],
      ['stave tracks provenance --source label-a --training unset', 'as without a default'],
      ['stave tracks provenance', 'the defaults of all sources'],
    ],
  })
    .option('-s, --source <name>', 'the source', notEmpty)
    .addOption(
      new Option('--training <answer>', 'whether machines may learn').choices(
        Object.keys(TRAINING),
      ),
    )
    .addOption(
      new Option('--ai <share>', 'how much a machine made').choices([
        'none',
        'assisted',
        'generated',
        UNSET,
      ]),
    )
    .prints(
      async ({ store, by }, { source, training, ai }: Options) => {
        const given: Partial<SourceProvenance> = {
          ...(training !== undefined && { trainingAllowed: TRAINING[training] }),
          ...(ai !== undefined && { ai: ai === UNSET ? null : ai }),
        };
        const isChange = Object.keys(given).length > 0;
        if (isChange !== (source !== undefined)) {
          throw new OperatorError('give --source with --training, --ai or both');
        }
        return source === undefined
          ? store.sourceProvenance.all()
          : setDefault(store, source, given, by);
      },
      (result) => (Array.isArray(result) ? listForPeople(result) : changeForPeople(result)),
      (result) => (Array.isArray(result) ? { items: result } : result),
    );
}

type Listed = SourceProvenance & { source: string };

interface Changed {
  source: string;
  updated: number;
  hasTracks: boolean;
}

async function setDefault(
  { sourceProvenance, trackFinder }: Store,
  source: string,
  given: Partial<SourceProvenance>,
  by: string,
): Promise<Changed> {
  const updated = await sourceProvenance.set(source, given, by);
  return { source, updated, hasTracks: (await trackFinder.sources()).includes(source) };
}

function changeForPeople({ source, updated, hasTracks }: Changed): string {
  return hasTracks
    ? `${counted(updated, 'live track')} updated`
    : `no track has the source ${source} yet`;
}

function listForPeople(items: readonly Listed[]): string {
  return listOf(items, 'no defaults', {
    SOURCE: 'source',
    TRAINING: ({ trainingAllowed }: Listed) => wordOf(trainingAllowed),
    AI: ({ ai }: Listed) => ai ?? '',
  });
}

function wordOf(allowed: boolean | null): string {
  return allowed === null ? '' : allowed ? 'yes' : 'no';
}
