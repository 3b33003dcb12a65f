import type { Readable } from 'node:stream';
import { StaveError } from '../../../common/errors.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { nearest } from '../../../common/text/nearest.ts';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { TrackFinder } from '../../../features/takedown/track-finder.ts';
import { requireSource } from '../import/sources.ts';
import { namesOfFile } from '../terminal/name-file.ts';
import type { Output } from '../terminal/output.ts';

/** How a command is told which tracks it changes. */
export interface ChoiceOptions {
  isrc?: string[];
  source?: string;
  batch?: string;
  file?: string;
}

/** The names that one query looks up. */
const SLICE = 1_000;
/** How many unknown names an error has, and how many are listed before it. */
const MAX_TOLD = 20;
const MAX_LISTED = 1_000;

/** A name of a track, as the operator gave it. */
interface GivenName {
  name: string;
  line?: number;
}

/**
 * Returns the row ids of the chosen tracks, in the order in which they are named. Throws OperatorError for options that
 * choose nothing or contradict each other, and not_found that tells every unknown name.
 */
export async function chosenTracks(
  finder: TrackFinder,
  { names, options, stdin, output }: ChosenBy,
): Promise<number[]> {
  const { source, batch } = options;
  const isNamed = names.length > 0 || options.isrc !== undefined || options.file !== undefined;
  if ([source !== undefined, batch !== undefined, isNamed].filter(Boolean).length > 1) {
    throw new OperatorError('--source and --batch choose tracks alone: give nothing else');
  }
  const chosen = new Chosen();
  if (source !== undefined) {
    await requireSource(finder, source);
    for await (const rowIds of finder.ofSource(source)) chosen.add(rowIds);
  } else if (batch !== undefined) {
    for await (const rowIds of finder.ofBatch(batch.toLowerCase())) chosen.add(rowIds);
  } else {
    if (!isNamed)
      throw new OperatorError('name a track, or give --isrc, --file, --source or --batch');
    const inFile = options.file === undefined ? [] : await namesOfFile(options.file, stdin);
    const given: GivenName[] = [...names.map((name) => ({ name })), ...inFile];
    const unknown = await addNamed(chosen, given, (some) => finder.named(some));
    const isrcs = (options.isrc ?? []).map((name) => ({ name }));
    const unknownIsrcs = await addNamed(chosen, isrcs, (some) => finder.withIsrcs(some));
    await refuseUnknown(finder, unknown, unknownIsrcs, output);
  }
  return chosen.rowIds;
}

interface ChosenBy {
  /** Slugs, ids and ISRCs. */
  names: readonly string[];
  options: ChoiceOptions;
  stdin: Readable;
  output: Output;
}

/** Row ids without repetitions, in their order. */
class Chosen {
  readonly rowIds: number[] = [];
  readonly #known = new RowIdSet();

  add(rowIds: readonly number[]): void {
    for (const rowId of rowIds) {
      if (this.#known.has(rowId)) continue;
      this.#known.add(rowId);
      this.rowIds.push(rowId);
    }
  }
}

/** Adds the tracks with these names. Returns the names that no track has. */
async function addNamed(
  chosen: Chosen,
  given: readonly GivenName[],
  find: (names: readonly string[]) => Promise<number[][]>,
): Promise<GivenName[]> {
  const unknown: GivenName[] = [];
  for (let from = 0; from < given.length; from += SLICE) {
    const some = given.slice(from, from + SLICE);
    const found = await find(some.map(({ name }) => name));
    for (const [place, rowIds] of found.entries()) {
      if (rowIds.length === 0) unknown.push(some[place]!);
      chosen.add(rowIds);
    }
  }
  return unknown;
}

async function refuseUnknown(
  finder: TrackFinder,
  unknown: readonly GivenName[],
  isrcs: readonly GivenName[],
  output: Output,
): Promise<void> {
  const all = [...unknown, ...isrcs];
  if (all.length === 0) return;
  if (all.length > MAX_TOLD) {
    for (const one of all.slice(0, MAX_LISTED)) output.note(`not found: ${shown(one)}`);
    if (all.length > MAX_LISTED) output.note(`… and ${all.length - MAX_LISTED} more`);
  }
  const sentences = [
    unknown.length > 0 && `There is no track ${told(unknown)}${await hint(finder, unknown)}.`,
    isrcs.length > 0 && `No track has the ISRC ${told(isrcs)}.`,
  ];
  throw new StaveError('not_found', sentences.filter((one) => one !== false).join(' '));
}

/** Returns the slug that was probably meant by the only unknown name. */
async function hint(finder: TrackFinder, unknown: readonly GivenName[]): Promise<string> {
  if (unknown.length > 1) return '';
  const { name } = unknown[0]!;
  const near = nearest(name, await finder.slugsNear(name));
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function told(names: readonly GivenName[]): string {
  const more = names.length > MAX_TOLD ? ` and ${names.length - MAX_TOLD} more` : '';
  return `${names.slice(0, MAX_TOLD).map(shown).join(', ')}${more}`;
}

function shown({ name, line }: GivenName): string {
  return line === undefined ? name : `${name} (line ${line})`;
}
