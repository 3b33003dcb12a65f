import { type Decoded, UnreadableError } from './decode/decoded.ts';

/**
 * How many records decide about a file, and in how many batches at most, because records may be
 * long.
 */
export const SAMPLE = 1000;
const SAMPLE_BATCHES = 3;

/** Yields the first records of a file, and calls `onCut` if it stops before the end. */
export async function* firstRecords(
  from: AsyncGenerator<Decoded[]>,
  onCut: () => void = () => {},
): AsyncGenerator<Decoded[]> {
  let count = 0;
  let batches = 0;
  for await (const batch of from) {
    const part = batch.slice(0, SAMPLE - count);
    count += part.length;
    batches++;
    yield part;
    if (count === SAMPLE || batches === SAMPLE_BATCHES) {
      onCut();
      return;
    }
  }
}

/** Returns the first records, or the reason why none can be read. */
export async function sampleOf(
  from: AsyncGenerator<Decoded[]>,
  onCut?: () => void,
): Promise<Decoded[] | string> {
  const sample: Decoded[] = [];
  try {
    for await (const batch of firstRecords(from, onCut)) {
      sample.push(...batch);
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) {
      throw error;
    }
    if (sample.length === 0) {
      return error.message;
    }
  }
  return sample;
}

/** Whether a decoded value is an object, as a record must be. */
export function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
