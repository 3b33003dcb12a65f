import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { EDITABLE_FIELDS, type EditableField } from '../../../features/catalog/track-edits.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-values.ts';
import type { EditCells } from '../../../features/import/track-edits.ts';
import { missingRule } from '../../named.ts';
import { editTrack, findEditable, type ShownEdit, shownEdits } from '../../track-edits.ts';
import { command, type Shell } from '../shell.ts';
import { commaList, shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { facts } from '../terminal/table.ts';

const MEANINGS: Readonly<Record<EditableField, string>> = {
  name: 'the name; the slug stays',
  type: 'music or sfx',
  artists: 'such as "MAIN_ARTIST:Mara Lindt|COMPOSER:Jon Ek", the primary one first',
  filters: 'such as "genre:Ambient|mood:Calm"',
  tags: 'such as "piano|slow"',
  isrc: 'such as DEA120000001',
  iswc: 'such as T-034.524.680-1',
  bpm: 'the tempo, such as 92',
  songKey: 'such as "A minor"; several are separated by |',
  timeSignature: 'such as 3/4',
  durationSeconds: 'such as 184 or 3:04',
  region: 'such as WORLD or EU',
  releaseDate: 'such as 2024-03-08',
  hasVocals: 'yes, or no for an instrumental',
  isPRO: 'yes or no',
  language: 'of the name and the tags, such as de',
};

const OPTIONS: Readonly<Record<EditableField, Option>> = Object.fromEntries(
  EDITABLE_FIELDS.map((field) => {
    const name = field.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
    return [field, new Option(`--${name} <value>`, MEANINGS[field])];
  }),
) as Record<EditableField, Option>;

interface Options {
  /** True for all fields. */
  revert?: string[] | true;
  allowMissing?: boolean;
  [field: string]: unknown;
}

export function editCommand(shell: Shell): Command {
  const made = command(shell, 'edit', 'Correct a track, whatever is delivered later', {
    description:
      'An edit stays when the track is delivered again, and an import notes what it changes beneath one. ' +
      'The values have the form of CSV cells of an import, lists with | between their elements; an empty value means ' +
      'unknown. An edit that equals what was delivered is none. Partners see an update, as of any other change. ' +
      '`stave tracks show` shows the edits.',
    examples: [
      ['stave tracks edit night-drive --name "Night Drive" --isrc DEA120000001', 'two fields'],
      ['stave tracks edit night-drive --tags "piano|slow" --filters genre:Ambient', 'whole lists'],
      ['stave tracks edit night-drive --revert name', 'the name as it was last delivered'],
      ['stave tracks edit night-drive --revert', 'the whole track as it was last delivered'],
    ],
  }).argument('<slug>', 'slug or id of the track');
  OPTIONS.type.choices(TRACK_TYPES);
  for (const option of Object.values(OPTIONS)) made.addOption(option);
  return made
    .option(
      '--revert [fields]',
      'remove the edits of these fields, comma-separated, or all',
      commaList,
    )
    .option('--allow-missing', 'create filters that the catalog does not have')
    .prints(
      async (context, slug: string, options: Options) => {
        const cells = cellsOf(options);
        const revert = revertedFields(options);
        if (Object.keys(cells).length === 0 && revert.length === 0) {
          throw new OperatorError('nothing to edit: give a field such as --name, or --revert');
        }
        const track = await findEditable(context.store, slug);
        const edited = await editTrack(context, track, {
          revert,
          cells,
          rule: missingRule(options),
        });
        return { ...edited, edits: await shownEdits(edited) };
      },
      ({ slug, isChanged, edits }) => {
        const state = edits.length === 0 ? 'has no edits: it is as delivered' : 'has these edits:';
        const title = `${slug} ${isChanged ? 'now' : 'still'} ${state}`;
        return edits.length === 0 ? title : `${title}\n${facts(editsForPeople(edits))}`;
      },
      ({ id, slug, isChanged, edits }) => ({ id, slug, isChanged, edits: editsForScripts(edits) }),
    );
}

function cellsOf(options: Options): EditCells {
  const given = EDITABLE_FIELDS.map((field) => [field, options[OPTIONS[field].attributeName()]]);
  return Object.fromEntries(given.filter(([, cell]) => cell !== undefined));
}

function revertedFields({ revert = [] }: Options): readonly EditableField[] {
  if (revert === true) return EDITABLE_FIELDS;
  return revert.map((name) => {
    const field = EDITABLE_FIELDS.find((one) => [one, OPTIONS[one].name()].includes(name));
    if (field !== undefined) return field;
    const hint = didYouMean(name, EDITABLE_FIELDS);
    throw new OperatorError(
      `--revert: there is no field ${name}${hint}; the fields are ${EDITABLE_FIELDS.join(', ')}`,
    );
  });
}

/** Returns pairs for `facts`. */
export function editsForPeople(edits: readonly ShownEdit[]): [string, string][] {
  return edits.map((edit) => [`edited ${edit.field}`, editForPeople(edit)]);
}

function editForPeople({ value, delivered, by, at, deliveredAt }: ShownEdit): string {
  const since = deliveredAt === null ? '' : ` since ${shownTime(deliveredAt)}`;
  return `"${value}", delivered as "${delivered}"${since}; by ${by}, ${shownTime(at)}`;
}

export function editsForScripts(edits: readonly ShownEdit[]): object {
  return Object.fromEntries(edits.map(({ field, ...edit }) => [field, withIsoTimes(edit)]));
}
