/** How closely a media range names `application/json`; 0 where it does not (RFC 9110 §12.5.1). */
const CLOSENESS = new Map([
  ['*/*', 1],
  ['application/*', 2],
  ['application/json', 3],
]);

/**
 * Whether an `Accept` header lets JSON through: the closest range that names it decides, by its
 * weight. No header, or an empty one, lets everything through.
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

/** The weight among a range's parameters, 1 by default; one that is malformed counts as 0 (§12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) {
    return 1;
  }
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
