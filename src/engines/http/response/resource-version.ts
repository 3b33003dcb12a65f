import { StaveError } from '../../../common/errors.ts';
import { type Headers, headerOf, namesTag } from './entity-tags.ts';

/** Returns the strong entity tag of a version of an editable resource. */
function tagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Returns the headers of a response with an editable resource (docs/contract/http.md#editing). The tag names
 * the version, not the bytes, so the response must not be stored.
 */
export function versionHeaders(version: number): Record<string, string> {
  return { ETag: tagOf(version), 'Cache-Control': 'no-store' };
}

/** Throws `precondition_required` if a request does not say which version it changes. */
export function refuseWithoutVersion(headers: Headers): void {
  if (headers['if-match'] === undefined) {
    throw new StaveError(
      'precondition_required',
      'Send If-Match with the ETag of the version that you read, or with * for any version.',
    );
  }
}

/** Throws `precondition_failed`, with the current tag, if `If-Match` does not name the version. */
export function refuseOtherVersion(headers: Headers, version: number): void {
  if (!namesTag(headerOf(headers, 'if-match') ?? '', tagOf(version))) {
    throw new StaveError(
      'precondition_failed',
      `The resource is at version ${version}; read it again, and send its ETag in If-Match.`,
      { headers: { ETag: tagOf(version) } },
    );
  }
}
