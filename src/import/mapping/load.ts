import { readFile, stat } from 'node:fs/promises';
import { OperatorError } from '../../common/operator-error.ts';
import { type CompiledMapping, compileMapping } from './compile.ts';
import { parseMapping } from './parse-mapping.ts';
import { SHIPPED_MAPPINGS } from './shipped.ts';
import { loadSideFiles } from './side-files.ts';

/** The largest mapping file that is read. */
const MAX_MAPPING_BYTES = 1024 * 1024;

/**
 * Loads the mapping of `--map` with its side files: a file, or the name of a shipped mapping. Throws OperatorError that
 * says what is wrong with it.
 */
export async function loadMapping(file: string): Promise<CompiledMapping> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_MAPPING_BYTES) {
      throw new OperatorError(`the mapping ${file} is larger than 1 MiB`);
    }
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof OperatorError) {
      throw error;
    }
    const shipped = SHIPPED_MAPPINGS.find(({ name }) => name === file);
    if (shipped !== undefined) {
      return shipped;
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      const names = SHIPPED_MAPPINGS.map(({ name }) => name).join(', ');
      throw new OperatorError(
        `cannot read the mapping ${file}: there is no such file, and the shipped mappings are ${names}`,
        { cause: error },
      );
    }
    throw new OperatorError(`cannot read the mapping ${file} (${code})`, { cause: error });
  }
  const mapping = parseMapping(text, file);
  return compileMapping(mapping, await loadSideFiles(mapping, file));
}
