import { makeConsoleServer } from '../../src/operator/console/server/server.ts';
import { CONSOLE_ROUTES } from '../../src/operator/console/server/start.ts';

/** The paths to which the server of the console takes forms, in order. */
export async function postPaths(): Promise<string[]> {
  const config = {
    console: null,
    trustProxy: false,
    consoleUserHeader: null,
    consolePasswords: true,
  };
  const context = { config, store: {}, clock: { now: () => 0 } } as never;
  const app = makeConsoleServer({ context, routes: CONSOLE_ROUTES, tls: null } as never);
  await app.ready();
  const paths: string[] = [];
  // A tree: each line has a part of a path, indented by four characters for each part before it.
  const parts: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const found = /^(?<indent>[│ ]*)[├└]── (?<part>\S+) \((?<methods>[A-Z, ]+)\)$/.exec(line);
    if (found === null) continue;
    const { indent, part, methods } = found.groups!;
    const depth = indent!.length / 4;
    parts.splice(depth, Number.POSITIVE_INFINITY, part!);
    if (methods!.includes('POST')) paths.push(parts.join('').replace(/\(.*\)(?=\/|$)/, ''));
  }
  await app.close();
  return paths.sort();
}
