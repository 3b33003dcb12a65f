import { X509Certificate } from 'node:crypto';

/** A certificate with its chain, and its private key, as PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** The certificate of the servers of a thread. It can be replaced while they serve. */
export class ServedCertificate {
  readonly #onReplaced: ((pair: KeyPair) => void)[] = [];
  #pair: KeyPair;

  constructor(pair: KeyPair) {
    this.#pair = pair;
  }

  get pair(): KeyPair {
    return this.#pair;
  }

  /** When the certificate ends, in milliseconds since 1970. Throws if it is not PEM. */
  get endsAt(): number {
    return new X509Certificate(this.#pair.cert).validToDate.getTime();
  }

  /** Connections that are open keep the certificate that they began with. */
  replace(pair: KeyPair): void {
    this.#pair = pair;
    for (const callback of this.#onReplaced) callback(pair);
  }

  onReplaced(callback: (pair: KeyPair) => void): void {
    this.#onReplaced.push(callback);
  }
}
