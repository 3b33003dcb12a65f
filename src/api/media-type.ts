import { StaveError } from '../kernel/errors.ts';

/** The content types that bodies are read from. */
export type BodyType = 'application/json' | 'application/x-www-form-urlencoded';

const PARAMETER = /^([a-z0-9!#$&^_.+-]+)=(?:"([^"\\]*)"|([^\s";,]*))$/;

/**
 * Which of the accepted types a body comes in; throws unsupported_media_type where it is another,
 * in another character set than UTF-8, or compressed.
 */
export function bodyTypeOf(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  accepted: readonly BodyType[],
): BodyType {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new StaveError(
      'unsupported_media_type',
      'The body must be sent as it is, without a Content-Encoding.',
      { headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const known = accepted.find((candidate) => candidate === type);
  if (known === undefined) {
    throw new StaveError(
      'unsupported_media_type',
      `The body must come with Content-Type: ${accepted.join(' or ')}.`,
    );
  }
  for (const parameter of parameters) {
    if (parameter === '') {
      continue;
    }
    const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
    if (name === undefined) {
      throw new StaveError('unsupported_media_type', 'The Content-Type is malformed.');
    }
    const charset = quoted ?? plain;
    if (name === 'charset' && charset !== 'utf-8' && charset !== 'utf8') {
      throw new StaveError('unsupported_media_type', 'The body must be in UTF-8.');
    }
  }
  return known;
}
