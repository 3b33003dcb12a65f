/** One request of a `.http` file, in the format of editors' REST clients, with its `{{…}}` placeholders. */
export interface HttpExample {
  title: string;
  /** The name by which later requests refer to the response. */
  name: string | undefined;
  expectedStatus: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Parses a `.http` file: requests begin with `###`, comments with `#`, variables with `@`. */
export function parseHttpFile(text: string): HttpExample[] {
  return text
    .split(/^### */m)
    .slice(1)
    .map(parseExample);
}

/** Returns the requests of a Markdown page: its fenced blocks of `http`, each titled by its request line. */
export function parseHttpBlocks(markdown: string): HttpExample[] {
  return [...markdown.matchAll(/^```http\n(.*?)^```/gms)].map(([, block]) =>
    parseExample(`${block!.split('\n')[0]}\n${block}`),
  );
}

/** Replaces `{{name}}` and `{{request.response.body.path.to.it}}`. Throws if a value does not exist. */
export function fillIn(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{\{([^}]+)\}\}/g, (_, path: string) => {
    let value: unknown = values;
    for (const step of path.replace('.response.body', '').split('.')) {
      value = (value as Record<string, unknown> | undefined)?.[step];
    }
    if (typeof value !== 'string') {
      throw new Error(`there is no value for {{${path}}}`);
    }
    return value;
  });
}

function parseExample(block: string): HttpExample {
  const [title = '', ...lines] = block.split('\n');
  const comments = lines.filter((line) => line.startsWith('#'));
  const [head = '', ...rest] = lines
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .trim()
    .split('\n\n');
  const [requestLine = '', ...headerLines] = head.split('\n');
  const [method = '', url = ''] = requestLine.split(' ');
  const noted = (pattern: RegExp) =>
    comments.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
  return {
    title,
    name: noted(/^# @name (\S+)$/),
    expectedStatus: Number(noted(/^# Expect (\d{3})$/) ?? 200),
    method,
    url,
    headers: Object.fromEntries(headerLines.map((line) => line.split(': ') as [string, string])),
    body: rest.length > 0 ? rest.join('\n\n') : undefined,
  };
}
