/** Replaces a redacted secret. */
export const REDACTED = '[secret]';

/** Matches secrets, tokens (also truncated ones) and signatures anywhere in a text. */
const SECRET_TEXT =
  /stave_(?:test|live)_[0-9A-Za-z]+|(?-i:eyJ)[\w-]{6,}(?:\.[\w-]*){0,2}|signature(?:=|%3D)[\w%-]+|\b(?:Basic|Bearer) +[\w.~+/=-]{8,}/gi;

/** Redacts every secret, token and signature in a text: the last safeguard of logs and messages. */
export function withoutSecretText(text: string): string {
  return text.replace(SECRET_TEXT, REDACTED);
}
