import { didYouMean } from '../../common/text/explain.ts';
import { isObject } from '../../common/text/json.ts';
import { counted } from '../../common/text/shown.ts';
import type { Prepared } from './canonical/track.ts';
import { isTable } from './decode/format.ts';
import type { CompiledMapping, NamedMember } from './mapping/compile.ts';
import { attempt, CellProblem, reader } from './mapping/members.ts';
import type { MissedKeys } from './mapping/rule.ts';
import { isScientific } from './mapping/texts.ts';
import type { CatalogPlan } from './plan.ts';
import { RECORD_MEMBERS } from './record.ts';

const MAX_NOTED = 20;
const MAX_NAME_LENGTH = 100;

const KNOWN: ReadonlySet<string> = new Set(RECORD_MEMBERS);

/** Collects the notes about a file for the operator, who gets them after its last record. */
export class CatalogNotes {
  readonly #isOwnForm: boolean;
  readonly #unread: UnreadMembers | null;
  readonly #missedKeys: MissedKeys | undefined;
  readonly #unknown = new Map<string, number>();
  #supplied = 0;
  #nameless = 0;
  #firstNameless = 0;
  #rounded = 0;
  /** Ids in scientific notation, with the position of the first record of each. */
  readonly #roundedIds = new Map<string, number>();
  #excesses = 0;
  #firstExcess = 0;

  constructor({ mapping, isShipped, format, firstRow }: CatalogPlan) {
    this.#isOwnForm = mapping === null && !isTable(format);
    this.#unread = mapping !== null && !isShipped ? new UnreadMembers(mapping) : null;
    this.#missedKeys = mapping?.missedKeys;
    // Records were read before, to recognize the file.
    this.#missedKeys?.reset();
    if (firstRow !== undefined) {
      this.#unread?.see(firstRow);
    }
  }

  seeSupplied(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    if (this.#isOwnForm && !Array.isArray(value)) {
      this.#countUnknown(value);
    }
    this.#unread?.see(value);
    this.#supplied++;
  }

  seeTrack(prepared: Prepared, position: number): void {
    if (prepared.delivery === null) {
      return;
    }
    if (prepared.namelessCredits > 0) {
      this.#firstNameless ||= position;
      this.#nameless += prepared.namelessCredits;
    }
    const { externalId } = prepared.delivery;
    if (externalId !== null && isScientific(externalId)) {
      const isNew = !this.#roundedIds.has(externalId) && this.#roundedIds.size < MAX_NOTED;
      if (isNew) this.#roundedIds.set(externalId, position);
      this.#rounded++;
    }
    if (prepared.hasExcessShares) {
      this.#firstExcess ||= position;
      this.#excesses++;
    }
  }

  lines(): string[] {
    const lines: string[] = [];
    if (this.#unknown.size > 0) {
      lines.push(`passed over ${unknownNote(this.#unknown)}`);
    }
    if (this.#nameless > 0) {
      const what = this.#nameless === 1 ? 'a credit' : `${this.#nameless} credits`;
      lines.push(`left out ${what} without a name, the first in record ${this.#firstNameless}`);
    }
    if (this.#excesses > 0) {
      const more = this.#excesses === 1 ? '' : ` and ${this.#excesses - 1} more`;
      lines.push(
        `the shares of a side add up to more than 100 % in record ${this.#firstExcess}${more}`,
      );
    }
    if (this.#rounded > 0) {
      const ids = [...this.#roundedIds].map(
        ([id, position]) => `"${id.slice(0, 60)}" in record ${position}`,
      );
      const what = this.#rounded === 1 ? 'an id is a number' : `${this.#rounded} ids are numbers`;
      lines.push(
        `${what} that a spreadsheet has rounded, so that different tracks can have one id: ${ids.join(', ')} (ask for the column as text)`,
      );
    }
    lines.push(...(this.#missedKeys?.notes() ?? []));
    return this.#supplied > 0 && this.#unread !== null
      ? [...lines, ...this.#unread.notes()]
      : lines;
  }

  #countUnknown(value: object): void {
    for (const member in value) {
      if (!KNOWN.has(member)) {
        const count = this.#unknown.get(member);
        const isNoted = this.#unknown.size < MAX_NOTED && member.length <= MAX_NAME_LENGTH;
        if (count !== undefined || isNoted) {
          this.#unknown.set(member, (count ?? 0) + 1);
        }
      }
    }
  }
}

function unknownNote(unknown: ReadonlyMap<string, number>): string {
  const members = [...unknown].map(([member, count]) => {
    const hint = didYouMean(member, RECORD_MEMBERS);
    return `"${member.slice(0, 60)}"${hint} in ${counted(count, 'record')}`;
  });
  return `members that the import record does not have: ${members.join(', ')}`;
}

const MAX_KNOWN = 1000;

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

  notes(): string[] {
    return this.#missing.map(({ named: { path, each, where } }) => {
      const hint = each === null ? didYouMean(path, this.#known) : '';
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
    const found = attempt(() => each.read(record));
    // A record with a problem is rejected for it.
    if (found instanceof CellProblem) return false;
    return [found].flat().some((entry) => isObject(entry) && read(entry) !== undefined);
  };
}
