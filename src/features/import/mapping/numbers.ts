/** The signs that may separate groups of three digits. */
const GROUPS = " \\u00a0\\u202f'’";

const forms = {
  ',': numberForm(',', `.${GROUPS}`),
  '.': numberForm('\\.', `,${GROUPS}`),
} as const;

function numberForm(sign: string, groups: string): RegExp {
  const whole = `\\d{1,15}|\\d{1,3}([${groups}])\\d{3}(?:\\2\\d{3}){0,4}`;
  return new RegExp(`^([+-]?(?:${whole})?)(?:${sign}(\\d{1,15}))?$`);
}

/**
 * Returns a written number in the form `-1234.5`. `sign` stands before its decimals; groups of three
 * digits may be separated by a space, an apostrophe or the other sign. Returns undefined for any
 * other text.
 */
export function decimalText(text: string, sign: ',' | '.'): string | undefined {
  const parts = forms[sign].exec(text.trim());
  if (parts === null) {
    return undefined;
  }
  const whole = parts[1]!.replace(/[^\d+-]/g, '');
  const decimals = parts[3];
  if (!/\d/.test(whole) && decimals === undefined) {
    return undefined;
  }
  const digits = /\d/.test(whole) ? whole : `${whole}0`;
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}
