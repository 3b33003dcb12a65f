import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openRegularFile } from '../../../common/files/regular-file.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { meaningOf } from '../../../common/text/explain.ts';
import { chunksOf } from '../decode/input.ts';
import { type CompiledMapping, compileMapping } from './compile.ts';
import { parseMapping } from './parse-mapping.ts';
import { SHIPPED_MAPPINGS } from './shipped.ts';
import { loadSideFiles } from './side-files.ts';

/** The largest mapping file that is read. */
const MAX_MAPPING_BYTES = 1024 * 1024;

/**
 * Loads the mapping of `--map` with its side files: a regular file, or the name of a shipped mapping. Throws OperatorError
 * that says what is wrong with it, without anything that the file contains: it may be the wrong one, with secrets.
 *
 * @param beneath the folder that must contain the file, to which its path may be relative; by default any folder may
 */
export async function loadMapping(file: string, beneath?: string): Promise<CompiledMapping> {
  const path = beneath === undefined ? file : resolve(beneath, file);
  const name = `the mapping ${file}`;
  let bytes: Buffer;
  try {
    bytes = await readStart(path, { name, beneath });
  } catch (error) {
    const shipped = SHIPPED_MAPPINGS.find((one) => one.name === file);
    if (shipped !== undefined) {
      return shipped;
    }
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
      const names = SHIPPED_MAPPINGS.map((one) => one.name).join(', ');
      throw new OperatorError(
        `cannot read ${name}: there is no such file, and the shipped mappings are ${names}`,
        { cause: error },
      );
    }
    throw error;
  }
  if (bytes.length > MAX_MAPPING_BYTES) {
    throw new OperatorError(`${name} is larger than 1 MiB`);
  }
  const mapping = parseMapping(new TextDecoder().decode(bytes), file);
  return compileMapping(mapping, await loadSideFiles(mapping, path));
}

/** Reads one byte more than a mapping may have, whatever size the system reports. */
async function readStart(
  path: string,
  options: { name: string; beneath: string | undefined },
): Promise<Buffer> {
  const file = await openRegularFile(path, options);
  try {
    return await buffer(chunksOf(file, 0, MAX_MAPPING_BYTES + 1));
  } catch (cause) {
    throw new OperatorError(`cannot read ${options.name}: ${meaningOf(cause)}`, { cause });
  } finally {
    await file.close();
  }
}
