import type { FieldProblem } from '../../../common/errors.ts';
import { BODY, isFull, refuse, shortened } from './problems.ts';
import { decoded } from './query.ts';

/** Parses a form (`application/x-www-form-urlencoded`) into an object of strings. A repeated member is a problem. */
export function parseForm(text: string, problems: FieldProblem[]): Record<string, string> {
  // The object has no prototype, so that no name collides with an inherited member.
  const form: Record<string, string> = Object.create(null);
  for (const pair of text.split('&')) {
    // Each failed decoding throws, which is slow, and a body of 64 KiB can contain 30,000 of them.
    if (isFull(problems)) {
      break;
    }
    if (pair === '') {
      continue;
    }
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      refuse(problems, name === undefined ? BODY : shortened(name), 'be UTF-8 in percent-encoding');
    } else if (name in form) {
      refuse(problems, shortened(name), 'be given once');
    } else {
      form[name] = value;
    }
  }
  return form;
}
