const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];

/** Whether a parsed value is an object and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of members and the indexes of entries that lead to a value. */
export type JsonPath = () => readonly (string | number)[];

/** Returns a path as it is shown, such as `events[7].seconds`. */
export function shownPath(path: JsonPath, shown: (name: string) => string): string {
  const steps = path().map((step) => (typeof step === 'number' ? `[${step}]` : `.${shown(step)}`));
  return steps.join('').replace(/^\./, '');
}

export function countMembers(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === COLON) {
      count++;
    } else if (sign === QUOTE) {
      i = endOfString(text, i);
    }
  }
  return count;
}

interface Open {
  /** The names in an object so far; null for an array. */
  names: Set<string> | null;
  /** The name of the member, or the index of the entry, that is being read. */
  at: string | number;
}

/**
 * Reads the members of a text that is known to be JSON. A parser takes the last of repeated members without a word,
 * and parsers differ in which one they take (RFC 8259 §4). Returns false, and reads no further, if objects and arrays are
 * nested deeper than `maxDepth`.
 */
export function scanMembers(
  text: string,
  maxDepth: number,
  onMember: (name: string, isRepeated: boolean, path: JsonPath) => void,
): boolean {
  const open: Open[] = [];
  let expectsName = false;
  const path = () => open.map(({ at }) => at);
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        expectsName = text.charCodeAt(i) === OPEN_BRACE;
        open.push(expectsName ? { names: new Set(), at: '' } : { names: null, at: 0 });
        if (open.length > maxDepth) return false;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        expectsName = false;
        break;
      case COMMA: {
        const inner = open.at(-1)!;
        expectsName = typeof inner.at === 'string';
        if (typeof inner.at === 'number') inner.at++;
        break;
      }
      case QUOTE: {
        const end = endOfString(text, i);
        if (expectsName) {
          const inner = open.at(-1)!;
          const name = JSON.parse(text.slice(i, end + 1)) as string;
          inner.at = name;
          onMember(name, inner.names!.has(name), path);
          inner.names!.add(name);
          expectsName = false;
        }
        i = end;
        break;
      }
    }
  }
  return true;
}

/**
 * Returns the index of the quote that closes the string opened at `start`; the length of the text if there is
 * none.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes precedes a quote within a string. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}

/**
 * Returns why and where a text is not JSON, such as `Expected ',' or '}' after property value (line 3 column 7)`. Unlike
 * the messages of V8, the reason quotes nothing of the text: a wrong file may contain secrets.
 *
 * @param error what `JSON.parse` has thrown
 */
export function jsonProblem(text: string, error: unknown): string {
  const { message } = error as Error;
  return quotesText(message)
    ? `Unexpected character (${placeOf(text)})`
    : message.replace(/( in JSON)? at position \d+/, '');
}

/** V8 names no place if, and only if, it quotes the text. */
function quotesText(message: string): boolean {
  return message.endsWith(' is not valid JSON');
}

/** Finds the end of the shortest beginning of the text whose message quotes it, too. */
function placeOf(text: string): string {
  let [sound, faulty] = [0, text.length];
  while (faulty - sound > 1) {
    const middle = Math.floor((sound + faulty) / 2);
    if (isQuoted(text.slice(0, middle))) faulty = middle;
    else sound = middle;
  }
  const lines = text.slice(0, faulty).split('\n');
  return `line ${lines.length} column ${lines.at(-1)!.length}`;
}

function isQuoted(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return quotesText((error as Error).message);
  }
}
