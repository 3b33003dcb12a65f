import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Returns the name of a prepared statement. All processes use the same name for the same text, because they
 * may share connections.
 */
export function statementName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `stave_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, name);
  }
  return name;
}
