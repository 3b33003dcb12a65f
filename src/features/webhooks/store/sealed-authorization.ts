import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Queries } from '../../../engines/sql/database.ts';

/** The setting with the key, in hexadecimal. It is made when the first value is stored. */
const KEY = 'webhook_authorization_key';
const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encrypts the `Authorization` header of a webhook, for the table of webhooks. The key is in the same database: this keeps
 * the value out of the results of queries, the logs of the database and extracts of the table, but not from somebody who
 * has the whole database. Call it in a write transaction.
 */
export async function sealedAuthorization(queries: Queries, value: string): Promise<Buffer> {
  await queries
    .insertInto('settings')
    .values({ name: KEY, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, await key(queries), nonce);
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Returns undefined if the value or its key is damaged. */
export async function openedAuthorization(
  queries: Queries,
  sealed: Buffer,
): Promise<string | undefined> {
  const secret = await key(queries);
  try {
    const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, NONCE_LENGTH));
    const start = NONCE_LENGTH + TAG_LENGTH;
    decipher.setAuthTag(sealed.subarray(NONCE_LENGTH, start));
    return decipher.update(sealed.subarray(start), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** Empty if there is none. */
async function key(queries: Queries): Promise<Buffer> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('name', '=', KEY)
    .executeTakeFirst();
  return Buffer.from(row?.value ?? '', 'hex');
}
