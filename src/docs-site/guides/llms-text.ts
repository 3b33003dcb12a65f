import { GUIDE_SECTIONS, type Guide, REFERENCE_PAGES } from '../openapi/guides.ts';
import { markdownPathOf } from './guide-links.ts';

/**
 * Returns the list of all guides for language models, in the form of llmstxt.org.
 * @param publicUrl the base of the service's own URLs, without a trailing slash.
 */
export function llmsText(publicUrl: string): string {
  const list = (guides: readonly Guide[]) =>
    guides
      .map(
        (guide) => `- [${guide.title}](${publicUrl}${markdownPathOf(guide)}): ${guide.summary}\n`,
      )
      .join('');
  const sections = GUIDE_SECTIONS.map(({ title, guides }) => `## ${title}\n\n${list(guides)}`);
  return `# Stave

> The partner API of a music licensing catalog: browse and search licensed tracks and sound effects, stream them through
> signed URLs, license them, and report their use.

Every JSON response has the form \`{"data": …, "error": …}\`. Get a token with \`POST /v1/auth/token\`, and send it as
\`Authorization: Bearer <token>\`.

${sections.join('\n')}
## Reference

- [OpenAPI document](${publicUrl}/openapi.json): Every operation with its parameters, responses and errors.

## Optional

${list(REFERENCE_PAGES)}`;
}
