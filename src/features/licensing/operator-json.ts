import { OperatorError } from '../../common/errors.ts';
import { jsonProblem, scanMembers, shownPath } from '../../common/text/json.ts';

/**
 * Parses a file of the operator. Throws OperatorError if it is not JSON, or has a member twice, of which a parser would
 * take one without a word.
 *
 * @param what the file is, such as `the rate card`
 */
export function parseOperatorJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${what} is not JSON: ${jsonProblem(text, error)}`);
  }
  scanMembers(text, Number.POSITIVE_INFINITY, (_, isRepeated, path) => {
    if (!isRepeated) return;
    const field = shownPath(path, (name) => name.slice(0, 100));
    throw new OperatorError(`${what} is refused: ${field} must be given once`);
  });
  return value;
}
