/** The thread that makes PDFs. Each request is answered before the next one is sent. */
import { parentPort } from 'node:worker_threads';
import { type SerializedError, serializeError } from '../../../common/threads/serialized-error.ts';
import { makePdf } from './make-pdf.ts';
import type { PrintableLicense } from './printed-license.ts';
import { Typeface } from './typeface.ts';

/** What the thread answers. */
export type PdfAnswer = { pdf: Uint8Array<ArrayBuffer> } | { fault: SerializedError };

const typeface = new Typeface();

parentPort?.on('message', async (license: PrintableLicense) => {
  try {
    // A copy, because the memory is given to the other thread.
    const pdf = Uint8Array.from(await makePdf(license, typeface));
    parentPort?.postMessage({ pdf } satisfies PdfAnswer, [pdf.buffer]);
  } catch (error) {
    parentPort?.postMessage({ fault: serializeError(error) } satisfies PdfAnswer);
  }
});
