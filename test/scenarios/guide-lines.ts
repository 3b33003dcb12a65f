import { readFileSync } from 'node:fs';

/** Returns the text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Returns the lines of a page that a shell runs. */
export function shellLinesOf(path: string): string[] {
  return [...textOf(path).matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);
}

/** Returns the responses that lines of a shell have printed, each on a line of its own. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of which tests read any member
export function bodiesOf(stdout: string): any[] {
  return stdout.match(/^\{"data":.*$/gm)!.map((line) => JSON.parse(line));
}
