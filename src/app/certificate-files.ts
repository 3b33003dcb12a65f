import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../common/clock.ts';
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
  readonly #clock: Clock;
  readonly #log: Log;
  #seen: string;
  /** The content that is served or was refused. */
  #judged: string;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Throws OperatorError if the pair cannot be used. */
  static async open(files: Files, deps: { clock: Clock; log: Log }): Promise<CertificateFiles> {
    const pair = await readPair(files);
    const certificate = parse(pair, files);
    const opened = new CertificateFiles(pair, files, deps);
    opened.#warn(certificate);
    return opened;
  }

  private constructor(pair: KeyPair, files: Files, { clock, log }: { clock: Clock; log: Log }) {
    this.served = new ServedCertificate(pair);
    this.#files = files;
    this.#clock = clock;
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
      const certificate = parse(found, this.#files);
      if (content !== contentOf(this.served.pair)) this.served.replace(found);
      const ends = certificate.validToDate.toISOString();
      this.#log.info({ ends }, 'the certificate has been read again');
      this.#warn(certificate);
    } catch (error) {
      const reason = explain(error);
      this.#log.error({ reason }, 'the new certificate cannot be used, and the one before stays');
    }
  }

  /** A certificate outside of its period is served, because the clock may be wrong. */
  #warn(certificate: X509Certificate): void {
    const fault = periodFault(certificate, this.#clock.now());
    if (fault !== undefined) this.#log.warn({}, fault);
  }
}

/** Returns the certificate of the files. Throws OperatorError if the pair cannot be used. */
export async function readCertificate(files: Files): Promise<X509Certificate> {
  return parse(await readPair(files), files);
}

/** Returns the problem if the certificate is not valid at this time. */
export function periodFault(
  { validFromDate, validToDate }: X509Certificate,
  now: number,
): string | undefined {
  if (validToDate.getTime() < now) {
    return `the certificate has expired at ${validToDate.toISOString()}`;
  }
  return validFromDate.getTime() > now
    ? `the certificate is not valid before ${validFromDate.toISOString()}`
    : undefined;
}

/** Throws OperatorError if a TLS server cannot use the pair. */
function parse(pair: KeyPair, { certFile, keyFile }: Files): X509Certificate {
  const [certName, keyName] = [`STAVE_TLS_CERT (${certFile})`, `STAVE_TLS_KEY (${keyFile})`];
  if (/ENCRYPTED/.test(pair.key)) {
    throw new OperatorError(
      `${keyName} is encrypted: store the key without a passphrase (openssl pkey -in FILE -out NEW_FILE).`,
    );
  }
  // A secure context also accepts empty texts.
  const [certificate, key] = [
    orRefuse(() => new X509Certificate(pair.cert), `${certName} contains no certificate in PEM`),
    orRefuse(() => createPrivateKey(pair.key), `${keyName} contains no private key in PEM`),
  ];
  if (!certificate.checkPrivateKey(key)) {
    throw new OperatorError(`${keyName} is not the key of ${certName}: name the matching key.`);
  }
  orRefuse(() => createSecureContext(pair), `OpenSSL refuses ${certName} with ${keyName}`);
  return certificate;
}

function orRefuse<T>(work: () => T, problem: string): T {
  try {
    return work();
  } catch (error) {
    throw new OperatorError(`${problem} (${(error as Error).message}).`, { cause: error });
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
