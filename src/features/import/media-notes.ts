import { keptIn } from '../../common/memory/caches.ts';
import type { Place } from './item.ts';

/** Each kind of notes about files, and how further ones are counted. */
const KINDS = {
  missing: 'more files that do not exist',
  renamed: 'more files whose extension is not that of their content',
  length: 'more files of an unexpected length',
  picture: 'more pictures in formats that Stave does not serve',
  encoding: 'more files whose tags are in another encoding than they say',
  same: 'more tracks with the same audio as another one',
} as const;

/** What streams do about formats that some browsers do not play. */
const REMEDIES = {
  made: ', streamed as MP3s that Stave makes',
  missing: ', streamed as delivered because nothing here makes MP3s of them',
} as const;
export type Remedy = keyof typeof REMEDIES;

type Note = Place & { text: string };

const MAX_NOTED = 20;
const MAX_NAME_LENGTH = 40;

/** Collects the notes about files for the operator, who gets them after the import. */
export class MediaNotes {
  readonly #notes = new Map<keyof typeof KINDS, { noted: Note[]; others: number }>();
  readonly #rarelyPlayed = new Map<Remedy | undefined, Map<string, number>>();
  readonly #skipped = new Map<string, number>();

  add(kind: keyof typeof KINDS, { file, line }: Place, text: string): void {
    const notes = this.#notes.get(kind) ?? { noted: [], others: 0 };
    this.#notes.set(kind, notes);
    if (notes.noted.length === MAX_NOTED) notes.others++;
    else notes.noted.push({ file, line, text });
  }

  /** Counts a file in a format that some browsers do not play. */
  countRarelyPlayed(format: string, remedy?: Remedy): void {
    countUp(
      keptIn(this.#rarelyPlayed, remedy, () => new Map()),
      format,
    );
  }

  /** Counts a file of a folder that is passed over. */
  countSkipped(extension: string): void {
    countUp(this.#skipped, extension);
  }

  lines(): string[] {
    const lines = [...this.#notes].flatMap(([kind, { noted, others }]) => {
      const shown = noted.sort(byPlace).map(({ file, line, text }) => {
        return `${line === null ? file : `${file}:${line}`}: ${text}`;
      });
      return others === 0 ? shown : [...shown, `… and ${others} ${KINDS[kind]}`];
    });
    for (const [remedy, counts] of this.#rarelyPlayed) {
      const [count, formats] = summed(counts);
      const subject = `${count} audio ${count === 1 ? 'file is in a format' : 'files are in formats'}`;
      const consequence = remedy === undefined ? '' : REMEDIES[remedy];
      lines.push(`${subject} that some browsers do not play${consequence}: ${formats}`);
    }
    if (this.#skipped.size > 0) {
      const [count, extensions] = summed(this.#skipped);
      lines.push(
        `passed over ${count} other ${count === 1 ? 'file' : 'files'}, by extension: ${extensions}`,
      );
    }
    return lines;
  }
}

/** Counts a name, which files say: its beginning, and further names together. */
function countUp(counts: Map<string, number>, given: string): void {
  const short = given.slice(0, MAX_NAME_LENGTH);
  const name = counts.has(short) || counts.size < MAX_NOTED ? short : 'others';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Files are read at the same time, so that their notes come in any order. */
function byPlace(one: Note, other: Note): number {
  const files = one.file < other.file ? -1 : Number(one.file > other.file);
  return files || (one.line ?? 0) - (other.line ?? 0);
}

function summed(counts: ReadonlyMap<string, number>): [count: number, list: string] {
  const most = [...counts].sort(([, one], [, other]) => other - one);
  const count = most.reduce((sum, [, one]) => sum + one, 0);
  return [count, most.map(([name, one]) => `${name} ${one}`).join(', ')];
}
