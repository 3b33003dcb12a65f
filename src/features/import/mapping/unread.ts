import { nearest } from '../../../common/text/nearest.ts';
import { CellProblem } from './cell-problem.ts';
import type { CompiledMapping, NamedMember } from './compile.ts';
import { type Reader, reader } from './paths.ts';

/** How many member names of the records are kept, to suggest the nearest. */
const MAX_KNOWN = 1000;
const MAX_NAME_LENGTH = 100;

/** Finds the members that a mapping names and no record of a file has. */
export class UnreadMembers {
  readonly #mapping: CompiledMapping;
  #missing: { named: NamedMember; isIn: (record: object) => boolean }[];
  readonly #known = new Set<string>();

  constructor(mapping: CompiledMapping) {
    this.#mapping = mapping;
    this.#missing = mapping.named.map((named) => ({ named, isIn: presence(named) }));
  }

  see(record: object): void {
    if (this.#missing.length === 0) {
      return;
    }
    this.#missing = this.#missing.filter(({ isIn }) => !isIn(record));
    for (const name in record) {
      if (this.#known.size >= MAX_KNOWN) {
        break;
      }
      if (name.length <= MAX_NAME_LENGTH) {
        this.#known.add(name);
      }
    }
  }

  /** One line for each member that no record had. */
  notes(): string[] {
    return this.#missing.map(({ named: { path, each, where } }) => {
      const near = each === null ? nearest(path, this.#known) : undefined;
      const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
      const place = each === null ? 'no record has' : `no entry of "${each.path}" has`;
      return `${place} the member or column "${path}", which the mapping ${this.#mapping.name} names in ${where}${hint}`;
    });
  }
}

function presence({ path, each }: NamedMember): (record: object) => boolean {
  const read = reader(path);
  if (each === null) {
    return (record) => read(record) !== undefined;
  }
  return (record) => {
    const found = entriesOf(each.read, record);
    const entries = Array.isArray(found) ? found : [found];
    return entries.some(
      (entry) => typeof entry === 'object' && entry !== null && read(entry) !== undefined,
    );
  };
}

/** Returns what the rule of a list reads; undefined for a record that is rejected for it. */
function entriesOf(read: Reader, record: object): unknown {
  try {
    return read(record);
  } catch (error) {
    if (error instanceof CellProblem) {
      return undefined;
    }
    throw error;
  }
}
