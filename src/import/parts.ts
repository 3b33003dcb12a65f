import { OperatorError } from '../kernel/operator-error.ts';
import { type CatalogPlan, loadMapping, planCatalog } from './plan.ts';
import type { Rejection } from './rejection.ts';
import { folderSource, openSources } from './sources.ts';

/** Tracks in Stave's own form belong to this source where `--source` names none. */
const OWN_SOURCE = 'stave';

/** One path of the command line, ready to be read. */
export type Part = { path: string; source: string; sizeBytes: number } & (
  | { kind: 'catalog'; plan: CatalogPlan }
  | { kind: 'folder'; only: string | null }
  | { kind: 'refused'; rejection: Rejection }
);

/**
 * Looks at every path and decides how each is read and whose tracks it holds. Throws OperatorError
 * where one is not there, or the mapping is no good.
 */
export async function planParts(options: {
  paths: readonly string[];
  source?: string | undefined;
  mapFile?: string | undefined;
}): Promise<Part[]> {
  const sources = await openSources(options.paths);
  const mapping = options.mapFile === undefined ? null : await loadMapping(options.mapFile);
  const source = options.source?.normalize('NFC').trim();
  if (source === '') {
    throw new OperatorError('--source must not be empty');
  }
  const parts: Part[] = [];
  for (const opened of sources) {
    if (opened.kind === 'folder') {
      const name = source ?? folderSource(opened.path);
      parts.push({ ...opened, source: name, sizeBytes: 0 });
      continue;
    }
    const plan = await planCatalog(opened.path, mapping);
    parts.push(
      'format' in plan
        ? { ...opened, plan, source: source ?? plan.mapping?.name ?? OWN_SOURCE }
        : { ...opened, kind: 'refused', rejection: plan, source: source ?? '' },
    );
  }
  return parts;
}

/** A prune takes down what was not delivered, so the delivery must be one source's, and whole; else OperatorError. */
export function refuseUnsafePrune(parts: readonly Part[]): void {
  const refused = parts.find((part) => part.kind === 'refused');
  if (refused !== undefined) {
    throw new OperatorError(
      `--prune needs a delivery that can be read: ${refused.path}: ${refused.rejection.reason}`,
    );
  }
  if (parts.some((part) => part.kind === 'folder' && part.only !== null)) {
    throw new OperatorError('--prune needs a whole folder, not single audio files');
  }
  const names = [...new Set(parts.map(({ source }) => source))];
  if (names.length > 1) {
    throw new OperatorError(
      `--prune needs one source, and these are ${names.length}: ${names.join(', ')}; import them one by one, or name one with --source`,
    );
  }
}
