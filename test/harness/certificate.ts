import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPair } from '../../src/engines/http/connection/served-certificate.ts';

/**
 * Writes a new certificate for localhost and its key into the folder, and returns their paths; undefined if
 * openssl is not installed.
 */
export function writeCertificate(folder: string): { cert: string; key: string } | undefined {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', key, '-out', cert];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...subject], { stdio: 'ignore' });
    return { cert, key };
  } catch {
    return undefined;
  }
}

export function readPair({ cert, key }: { cert: string; key: string }): KeyPair {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
