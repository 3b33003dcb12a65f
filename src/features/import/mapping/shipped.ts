import catalogDump from '../mappings/catalog-dump.json' with { type: 'json' };
import fmaTracks from '../mappings/fma-tracks.json' with { type: 'json' };
import harvest from '../mappings/harvest.json' with { type: 'json' };
import sourceaudio from '../mappings/sourceaudio.json' with { type: 'json' };
import { type CompiledMapping, compileMapping } from './compile.ts';
import { isrcSheets } from './isrc-sheets.ts';
import { parseMapping } from './parse-mapping.ts';

/**
 * The mappings that come with Stave and are recognized automatically, in the order in which they
 * are tried.
 */
export const SHIPPED_MAPPINGS: readonly CompiledMapping[] = [
  catalogDump,
  fmaTracks,
  sourceaudio,
  harvest,
  ...isrcSheets(),
].map((file) => compileMapping(parseMapping(JSON.stringify(file), `${file.name}.json`)));
