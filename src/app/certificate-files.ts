import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../common/errors.ts';
import type { Log } from '../common/log.ts';
import { explain } from '../common/text/explain.ts';
import { type KeyPair, ServedCertificate } from '../engines/http/connection/served-certificate.ts';
import type { Config } from './config/config.ts';

type Files = NonNullable<Config['tls']>;

/** How often the files are read. Notifications of the file system would miss a file behind a link to another folder. */
const INTERVAL_MS = 2_000;

/**
 * Reads certificate and key, and again when the files change, until it is disposed of. A pair that cannot be used is
 * logged once, and the one before it stays.
 */
export class CertificateFiles implements Disposable {
  readonly served: ServedCertificate;
  readonly #files: Files;
  readonly #log: Log;
  #seen: string;
  /** The content that is served or was refused. */
  #judged: string;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Throws OperatorError if a file cannot be read, and the error of OpenSSL if the pair cannot be used. */
  static async open(files: Files, log: Log): Promise<CertificateFiles> {
    const pair = await readPair(files);
    createSecureContext(pair);
    return new CertificateFiles(pair, files, log);
  }

  private constructor(pair: KeyPair, files: Files, log: Log) {
    this.served = new ServedCertificate(pair);
    this.#files = files;
    this.#log = log;
    this.#seen = this.#judged = contentOf(pair);
    this.#wait();
  }

  /** Reads the files at once, and logs what it finds in any case. */
  reload(): Promise<void> {
    return this.#look({ isAsked: true });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = setTimeout(async () => {
      await this.#look({ isAsked: false });
      if (!this.#isClosed) this.#wait();
    }, INTERVAL_MS).unref();
  }

  async #look({ isAsked }: { isAsked: boolean }): Promise<void> {
    const found = await readPair(this.#files).catch((error: Error) => error);
    const content = contentOf(found);
    // Another program may be writing the files.
    const isComplete = content === this.#seen;
    this.#seen = content;
    if (!isAsked && (!isComplete || content === this.#judged)) return;
    this.#judged = content;
    try {
      if (found instanceof Error) throw found;
      createSecureContext(found);
      if (content !== contentOf(this.served.pair)) this.served.replace(found);
      const ends = new Date(this.served.endsAt).toISOString();
      this.#log.info({ ends }, 'the certificate has been read again');
    } catch (error) {
      const reason = explain(error);
      this.#log.error({ reason }, 'the new certificate cannot be used, and the one before stays');
    }
  }
}

async function readPair({ certFile, keyFile }: Files): Promise<KeyPair> {
  return {
    cert: await read('STAVE_TLS_CERT', certFile),
    key: await read('STAVE_TLS_KEY', keyFile),
  };
}

async function read(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${name} cannot be read from ${path} (${code}).`, { cause: error });
  }
}

/** Equal for equal files, and for equal failures to read them. */
function contentOf(found: KeyPair | Error): string {
  return found instanceof Error ? found.message : `${found.cert}\0${found.key}`;
}
