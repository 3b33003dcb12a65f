/** Request headers as Node represents them: lower-case names, repeated headers joined. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the value of a header; undefined if it is absent. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Whether the value of `If-Match` names an entity tag by strong comparison (RFC 9110 §13.1.1), in which a weak tag
 * equals none. `*` names every tag.
 */
export function namesTag(ifMatch: string, etag: string): boolean {
  const isStrong = !etag.startsWith('W/');
  return ifMatch.trim() === '*' || (isStrong && entityTags(ifMatch).includes(etag));
}

/**
 * Returns the entity tags of a list, weak ones with their `W/`; ignores what is not a tag. A tag may contain
 * a comma.
 */
export function entityTags(list: string): string[] {
  return list.match(/(?<![^\s,])(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
}
