import { readFileSync } from 'node:fs';

/** Returns the text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Returns the blocks of a text in Markdown that a shell runs. */
export function shellLines(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
}

/** Returns the blocks of a page that a shell runs. */
export function shellLinesOf(path: string): string[] {
  return shellLines(textOf(path));
}

/** Returns the responses that lines of a shell have printed, each on a line of its own. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of which tests read any member
export function bodiesOf(stdout: string): any[] {
  return stdout.match(/^\{"data":.*$/gm)!.map((line) => JSON.parse(line));
}
