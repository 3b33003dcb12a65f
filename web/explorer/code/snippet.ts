import type { Call } from '../list/source.ts';

/** The request as a command of a shell. The token is in a variable of the shell. */
export function curlOf(
  { method, path, input, file }: Call,
  baseUrl: string,
  language?: string,
): string {
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  const parameters = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, String(value)]),
  );
  const query = String(parameters).replaceAll('%2C', ',');
  const inUrl = (method === 'GET' || file !== undefined) && query !== '';
  const lines = [
    `curl -sS ${quoted(baseUrl + filled + (inUrl ? `?${query}` : ''))}`,
    '-H "Authorization: Bearer $STAVE_TOKEN"',
    ...(language === undefined ? [] : [`-H 'Accept-Language: ${language}'`]),
    ...(file === undefined
      ? []
      : ["-H 'Content-Type: application/octet-stream'", `--data-binary ${quoted(`@${file}`)}`]),
    ...(method === 'POST' && file === undefined
      ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(rest))}`]
      : []),
  ];
  return lines.join(' \\\n  ');
}

/** A word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request with the client library. */
export function sdkOf(
  { operation, input, file }: Call,
  baseUrl: string,
  language?: string,
): string {
  const literal = JSON.stringify(input, null, 2).replace(/^(\s*)"(\w+)":/gm, '$1$2:');
  const body = file && `,\n  file: await openAsBlob(${JSON.stringify(file)})\n}`;
  const all = body ? literal.replace(/\n\}$/, body) : literal;
  return `${file === undefined ? '' : "import { openAsBlob } from 'node:fs';\n"}import { StaveClient } from '@stave/client';

const stave = new StaveClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  clientId: process.env.STAVE_CLIENT_ID,
  clientSecret: process.env.STAVE_CLIENT_SECRET,${language === undefined ? '' : `\n  language: '${language}',`}
});
const data = await stave.${operation}(${all === '{}' ? '' : all});
console.log(data);`;
}
