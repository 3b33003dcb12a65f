import { spawnSync } from 'node:child_process';

/** Whether this machine has the tools of Poppler, which read PDFs. */
export const HAS_POPPLER: boolean = spawnSync('pdftotext', ['-v']).error === undefined;
