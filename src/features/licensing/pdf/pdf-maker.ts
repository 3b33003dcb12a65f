import { LRUCache } from 'lru-cache';
import { StaveError } from '../../../common/errors.ts';
import { asBuffer } from '../../../common/threads/calls.ts';
import { BELOW_REQUESTS, LazyThread, LITTLE_MEMORY } from '../../../common/threads/thread.ts';
import { limited } from '../../../common/work/limited.ts';
import type { PrintableLicense } from './printed-license.ts';

/** The most PDFs that wait for the thread. Each takes a tenth of a second. */
const MAX_WAITING = 50;
/** The most PDFs of one client that wait or are being made, so that the client leaves room for others. */
const MAX_OF_CLIENT = 10;
/** A PDF that takes longer ends the thread. The longest, with a hundred tracks, takes about a second. */
const MAX_MS = 20_000;
/** The cache of repeated requests: some hundred PDFs. */
const CACHE_BYTES = 16 * 1024 * 1024;
const MAX_HEAP_MB = 256;

/**
 * Makes the PDFs of licenses in a thread of its own, one at a time, so that requests do not wait for them. The first one
 * starts the thread. Equal licenses give equal bytes.
 */
export class PdfMaker {
  readonly #kept = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (pdf) => pdf.length,
  });
  /** The PDFs that are being made or wait, by certificate, and the clients that requested them first. */
  readonly #open = new Map<string, { making: Promise<Buffer>; clientId: string }>();
  readonly #turns = limited(1);
  readonly #thread = new LazyThread<{ pdf(license: PrintableLicense): Uint8Array }>(
    new URL('./pdf-thread.ts', import.meta.url),
    {
      name: 'stave pdf',
      resourceLimits: { ...LITTLE_MEMORY, maxOldGenerationSizeMb: MAX_HEAP_MB },
      lowerBy: BELOW_REQUESTS,
    },
  );
  readonly counts = { made: 0, failed: 0, refused: 0 };

  get waiting(): number {
    return this.#open.size;
  }

  /**
   * Returns the PDF of a license. Throws `unavailable` if too many others wait, of the client or in all, or the service
   * stops.
   */
  async pdfOf(license: PrintableLicense, clientId: string): Promise<Buffer> {
    const { certificate } = license;
    const kept = this.#kept.get(certificate);
    if (kept !== undefined) return kept;
    const open = this.#open.get(certificate);
    if (open !== undefined) return open.making;
    this.#refuseBeyondLimits(clientId);
    const making = this.#turns(() => this.#make(license));
    this.#open.set(certificate, { making, clientId });
    try {
      const pdf = await making;
      this.#kept.set(certificate, pdf);
      this.counts.made++;
      return pdf;
    } catch (error) {
      if (!this.#thread.isClosed) this.counts.failed++;
      throw error;
    } finally {
      this.#open.delete(certificate);
    }
  }

  /** Ends the thread. PDFs that are not made yet are rejected. */
  async close(): Promise<void> {
    await this.#thread.close();
  }

  #refuseBeyondLimits(clientId: string): void {
    const own = [...this.#open.values()].filter((open) => open.clientId === clientId);
    const isFull = this.#open.size > MAX_WAITING;
    if (!isFull && own.length < MAX_OF_CLIENT) return;
    this.counts.refused++;
    throw new StaveError(
      'unavailable',
      `${isFull ? 'Too many PDFs' : 'Too many of your PDFs'} are being made; retry in 5 s.`,
      { headers: { 'Retry-After': '5' } },
    );
  }

  async #make(license: PrintableLicense): Promise<Buffer> {
    const tooLong = () => void this.#thread.end(new Error('The PDF took too long'));
    const timer = setTimeout(tooLong, MAX_MS);
    try {
      return asBuffer(await this.#thread.call('pdf', license));
    } catch (error) {
      if (this.#thread.isClosed) {
        throw new StaveError('unavailable', 'This node is stopping; retry.');
      }
      // After a failure, the next PDF gets a thread of its own.
      await this.#thread.end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
