import { resolve } from 'node:path';
import { SETTINGS } from '../../app/config/settings.ts';
import type { MediaPlace } from '../../app/open/context.ts';
import { OperatorError } from '../../common/errors.ts';

/**
 * Reads the name of a folder or a bucket. Throws OperatorError if it begins as that of a bucket and is none.
 *
 * @param name what messages call it
 */
export function mediaPlaceAt(name: string, text: string): MediaPlace {
  if (!/^s3:\/\//i.test(text)) return { folder: resolve(text) };
  try {
    return SETTINGS.media.parse(text)!;
  } catch (error) {
    throw new OperatorError(`${name} ${(error as Error).message}`, { cause: error });
  }
}
