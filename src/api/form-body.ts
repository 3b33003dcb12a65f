import type { FieldProblem } from '../kernel/errors.ts';
import { BODY, isFull, refuse, shortened } from './problems.ts';
import { decoded } from './query.ts';

/** A form (`application/x-www-form-urlencoded`) as an object of texts; a member that comes twice is a problem. */
export function parseForm(text: string, problems: FieldProblem[]): Record<string, string> {
  // Without a prototype, so that no name means anything.
  const form: Record<string, string> = Object.create(null);
  for (const pair of text.split('&')) {
    // Each failed decoding costs an exception, of which 64 KiB have room for 30,000.
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
