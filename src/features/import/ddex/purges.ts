import { describe } from '../record.ts';
import type { Rejection } from '../rejection.ts';

/** A release that a message purges. */
interface Purge {
  file: string;
  line: number;
  /** Its ids, such as `ICPN 00094631432057`. */
  ids: readonly string[];
  /** Whether the import knows recordings of it. */
  isKnown: boolean;
}

/** The purges of the messages that were read, which concern the releases of older messages. */
export class Purges {
  readonly #all: Purge[] = [];
  readonly #byId = new Map<string, Purge>();
  /** The ids of the releases of the messages so far. */
  readonly #releases = new Set<string>();

  add(purge: Purge): void {
    purge.isKnown ||= purge.ids.some((id) => this.#releases.has(id));
    this.#all.push(purge);
    for (const id of purge.ids) {
      this.#byId.set(id, purge);
    }
  }

  /** Returns whether a release with one of these ids is purged. Remembers that the import knows recordings of it. */
  concern(ids: readonly string[]): boolean {
    const purges = ids.map((id) => this.#byId.get(id)).filter((found) => found !== undefined);
    for (const purge of purges) {
      purge.isKnown = true;
    }
    for (const id of ids) {
      this.#releases.add(id);
    }
    return purges.length > 0;
  }

  /** Rejects the purges of releases that nothing describes. */
  rejections(): Rejection[] {
    return this.#all.filter(({ isKnown }) => !isKnown).map(rejectionOf);
  }
}

function rejectionOf({ file, line, ids }: Purge): Rejection {
  const release = ids.length === 0 ? 'no release' : `the release ${describe(ids.join(', '))}`;
  const reason = `the message purges ${release}, of which Stave does not know the recordings: import it together with the last message of the release`;
  return { file, line, field: '', reason };
}

/** Whether an id of a release is unique among all suppliers. */
const UNIQUE = /^(ICPN|GRid) /;

/** Returns the ids that identify a purged release: a catalog number is too weak if there is a better one. */
export function purgeIds(ids: readonly string[]): readonly string[] {
  const unique = ids.filter((id) => UNIQUE.test(id));
  return unique.length > 0 ? unique : ids;
}
