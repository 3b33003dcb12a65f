/** Replaces control characters, which could control a terminal; names come from suppliers. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}
