import { join } from 'node:path';
import { SERVICE_VERSION } from '../../common/version.ts';
import { DocumentFileWriter } from '../../features/catalog/store/disk/document-writer.ts';
import { DOCUMENTS_FILE } from '../open/data-folder.ts';

export function documentFileIn(dataFolder: string, by: 'import' | 'service'): DocumentFileWriter {
  return new DocumentFileWriter({
    path: join(dataFolder, DOCUMENTS_FILE),
    madeBy: `stave ${SERVICE_VERSION}`,
    by,
  });
}
