import { nearest } from '../../../common/text/explain.ts';
import { API_VERSION } from '../../../common/version.ts';
import type { Route } from '../route/route.ts';

/** Longer paths get no suggestion: comparing them would cost an anonymous caller's request too much. */
const MAX_COMPARED_LENGTH = 60;
const MIN_COMPARED_LENGTH = 4;

export interface Path {
  /** In OpenAPI's form, `/v1/tracks/{slug}`. */
  path: string;
  /** In the router's form, `/v1/tracks/:slug`. */
  url: string;
  pattern: RegExp;
  /** The methods that the router finds a route for at this path; `OPTIONS` is last. */
  methods: readonly string[];
  /** Whether every route at the path responds with JSON, so that `Accept` is checked. */
  hasJson: boolean;
}

/** Returns the methods that a route serves: a GET route also serves HEAD. */
export function methodsOf({ method }: Route): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Returns the paths of all routes, each once, in the order of the routes. */
export function pathsOf(routes: readonly Route[]): Path[] {
  const patterns = routes.map(({ path }) => patternOf(path));
  return [...new Set(routes.map(({ path }) => path))].map((path) => {
    const url = path.replace(/\{([^}]+)\}/g, ':$1');
    // A route that has a parameter where this path has a word also serves this path, with its own methods.
    const here = routes.filter((_, i) => patterns[i]!.test(url));
    return {
      path,
      url,
      pattern: patternOf(path),
      methods: [...new Set(here.flatMap(methodsOf)), 'OPTIONS'],
      hasJson: here.every(({ data }) => data !== undefined),
    };
  });
}

/**
 * Returns the path that a caller of an unknown path probably meant, in OpenAPI's form: the same path in lower
 * case, without a trailing or a repeated slash, with the version added, or without a leading `/api`;
 * otherwise one with a similar word in each place, or else the shortest one with the same last word.
 */
export function suggestedPath(paths: readonly Path[], unknown: string): string | undefined {
  const once = unknown.toLowerCase().replace(/\/{2,}/g, '/');
  const tidy = once.endsWith('/') ? once.slice(0, -1) : once;
  for (const candidate of [tidy, `/${API_VERSION}${tidy}`, tidy.replace(/^\/api(?=\/)/, '')]) {
    const known = paths.find(({ pattern }) => pattern.test(candidate));
    if (known !== undefined) {
      return known.path;
    }
  }
  if (tidy.length > MAX_COMPARED_LENGTH || tidy.length < MIN_COMPARED_LENGTH) {
    return undefined;
  }
  const words = tidy.split('/');
  const alike = new Map<string, string>();
  for (const { path } of paths) {
    const parts = path.split('/');
    if (parts.length !== words.length) continue;
    if (!parts.every((part, i) => isParameter(part) || areAlike(part, words[i]!))) continue;
    alike.set(parts.map((part, i) => (isParameter(part) ? words[i] : part)).join('/'), path);
  }
  const near = nearest(tidy, alike.keys());
  if (near !== undefined) return alike.get(near);
  const ending = `/${words.at(-1)}`;
  return paths
    .map(({ path }) => path)
    .filter((path) => path.endsWith(ending))
    .sort((a, b) => a.length - b.length)[0];
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

/** Whether a word of a path is a misspelling of another one. A short one resembles too many others. */
function areAlike(known: string, word: string): boolean {
  return known === word || (word.length > 3 && nearest(word, [known]) !== undefined);
}

/**
 * Returns another path that serves a method, for a caller who uses it at this one: that of the collection, or of one of
 * its resources.
 */
export function pathWithMethod(
  paths: readonly Path[],
  path: string,
  method: string,
): string | undefined {
  return paths.find(
    (one) =>
      one.methods.includes(method) &&
      (one.path === above(path) || (above(one.path) === path && one.path.endsWith('}'))),
  )?.path;
}

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`);
}
