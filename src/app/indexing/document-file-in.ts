import { join } from 'node:path';
import { SERVICE_VERSION } from '../../common/version.ts';
import { DocumentFileWriter } from '../../features/catalog/store/disk/document-writer.ts';
import type { StreamPolicy } from '../../features/catalog/streamed-audio.ts';
import { DOCUMENTS_FILE } from '../open/data-folder.ts';

/** A file is used only if its documents say of streams what these ones say. */
export function documentFileIn(
  dataFolder: string,
  by: 'import' | 'service',
  { mode, kbps, formats }: StreamPolicy,
): DocumentFileWriter {
  return new DocumentFileWriter({
    path: join(dataFolder, DOCUMENTS_FILE),
    madeBy: `stave ${SERVICE_VERSION}, streams ${mode} ${kbps} ${formats.join(' ')}`,
    by,
  });
}
