import { OperatorError } from '../../../common/operator-error.ts';
import { nearest } from '../../../common/text/nearest.ts';
import type { TrackFinder } from '../../../features/takedown/track-finder.ts';

/** The most sources that an error names. */
const MAX_TOLD = 10;

/** Throws OperatorError unless a track has this source. */
export async function requireSource(
  finder: Pick<TrackFinder, 'sources'>,
  source: string,
): Promise<void> {
  const sources = await finder.sources();
  if (sources.includes(source)) return;
  const near = nearest(source, sources);
  throw new OperatorError(`No track has the source ${source}${hint(near, sources)}.`);
}

function hint(near: string | undefined, sources: readonly string[]): string {
  if (near !== undefined) return ` (did you mean ${near}?)`;
  if (sources.length === 0) return ': there are no tracks';
  const more = sources.length > MAX_TOLD ? ' and others' : '';
  return `: the sources are ${sources.slice(0, MAX_TOLD).join(', ')}${more}`;
}
