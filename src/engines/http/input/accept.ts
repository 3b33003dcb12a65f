/** How specifically a media range names `application/json` (RFC 9110 §12.5.1). */
const CLOSENESS = new Map([
  ['*/*', 1],
  ['application/*', 2],
  ['application/json', 3],
]);

/**
 * Whether an `Accept` header accepts JSON. The weight of the most specific range that matches decides. An
 * absent or empty header accepts everything.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') {
    return true;
  }
  if (accept.trim() === '') {
    return true;
  }
  let closest = 0;
  let weight = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const closeness = CLOSENESS.get(type) ?? 0;
    if (closeness === 0 || closeness < closest) {
      continue;
    }
    const q = weightOf(parameters);
    weight = closeness === closest ? Math.max(weight, q) : q;
    closest = closeness;
  }
  return weight > 0;
}

/** Returns the weight (`q`) in the parameters of a range: 1 by default, 0 if it is malformed (§12.4.2). */
export function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) {
    return 1;
  }
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
