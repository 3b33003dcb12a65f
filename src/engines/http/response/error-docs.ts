import type { ErrorKind } from '../../../common/errors.ts';

/** The page of the errors guide. Each kind has a section whose id is its name. */
const ERRORS_PAGE = '/docs/errors';

/**
 * Returns the URL of the section of the errors guide about a kind (docs/contract/errors.md#error-object).
 * `publicUrl` has no trailing slash.
 */
export function errorDocsUrl(publicUrl: string, kind: ErrorKind): string {
  return `${publicUrl}${ERRORS_PAGE}#${kind}`;
}
