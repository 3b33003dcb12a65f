import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Queries } from './database.ts';

/** The settings with the keys, in hexadecimal. Each is made when its first text is stored. */
export type SealingKey = 'webhook_authorization_key' | 'link_token_key';

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encrypts a text for a table. The key is in the same database: this keeps the text out of the results of queries, the
 * logs of the database and extracts of the table, but not from somebody who has the whole database. Call it in a write
 * transaction.
 */
export async function sealedText(
  queries: Queries,
  name: SealingKey,
  value: string,
): Promise<Buffer> {
  await queries
    .insertInto('settings')
    .values({ name, value: randomBytes(32).toString('hex') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv(CIPHER, await keyOf(queries, name), nonce);
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Returns the texts; undefined for each that is damaged, or whose key is. */
export async function openedTexts(
  queries: Queries,
  name: SealingKey,
  sealed: readonly Buffer[],
): Promise<(string | undefined)[]> {
  const key = await keyOf(queries, name);
  return sealed.map((text) => opened(key, text));
}

function opened(key: Buffer, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_LENGTH));
    const start = NONCE_LENGTH + TAG_LENGTH;
    decipher.setAuthTag(sealed.subarray(NONCE_LENGTH, start));
    return decipher.update(sealed.subarray(start), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** Empty if there is none. */
async function keyOf(queries: Queries, name: SealingKey): Promise<Buffer> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return Buffer.from(row?.value ?? '', 'hex');
}
