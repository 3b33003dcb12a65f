import type { BodyType } from './media-type.ts';

/** JSON that `curl -d '{…}'` sends with the content type of a form. */
const LOOKS_LIKE_JSON = /^\s*\{\s*"/;
const LOOKS_LIKE_A_FORM = /^[A-Za-z0-9_.%+-]{1,60}=/;

/**
 * Returns the message for a body that is evidently of another type than its Content-Type; undefined for any
 * other body. The message contains no part of the body.
 */
export function mislabeled(
  text: string,
  type: BodyType,
  accepted: readonly BodyType[],
): string | undefined {
  const isForm = type === 'application/x-www-form-urlencoded';
  const looks = isForm ? LOOKS_LIKE_JSON : LOOKS_LIKE_A_FORM;
  if (!looks.test(text)) {
    return undefined;
  }
  const [is, wanted]: [string, BodyType] = isForm
    ? ['JSON', 'application/json']
    : ['a form', 'application/x-www-form-urlencoded'];
  const remedy = accepted.includes(wanted)
    ? `send Content-Type: ${wanted}`
    : `send ${isForm ? 'a form' : 'JSON'}`;
  return `body is ${is}, but its Content-Type is ${type}; ${remedy}`;
}
