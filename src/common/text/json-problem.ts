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
