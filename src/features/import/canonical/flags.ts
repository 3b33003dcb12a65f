const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  1: true,
  false: false,
  no: false,
  n: false,
  0: false,
};

/**
 * Converts a flag in the usual words (`yes`, `No`, `TRUE`, `1`, any case) to true or false. Returns
 * any other value unchanged, so that the check of the record rejects it.
 */
export function flagOf(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return value;
  }
  const word = String(value).trim().toLowerCase();
  return Object.hasOwn(FLAGS, word) ? FLAGS[word] : value;
}
