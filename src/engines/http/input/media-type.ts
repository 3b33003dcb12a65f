import { StaveError } from '../../../common/errors.ts';

/** The content types that a request body may have. */
export type BodyType = 'application/json' | 'application/x-www-form-urlencoded';

/** A request body before it is parsed. */
export interface RawBody {
  type: BodyType;
  bytes: Buffer;
}

const PARAMETER = /^([a-z0-9!#$&^_.+-]+)=(?:"([^"\\]*)"|([^\s";,]*))$/;

/**
 * Returns the type of a body. Throws `unsupported_media_type` if it is not an accepted one, if its
 * character set is not UTF-8, and if the body is compressed.
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
