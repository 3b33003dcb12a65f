import type { FieldProblem } from '../../../common/errors.ts';
import { invalidRequest } from '../../../engines/http/response/errors.ts';
import {
  endpointUrlProblem,
  parseEndpointUrl,
  type Targets,
} from '../../../engines/net/endpoint-url.ts';
import type { Resolver } from '../../../engines/net/resolver.ts';

/** Checks the URLs of endpoints in requests (docs/contract/webhooks.md#addresses). */
export class EndpointUrls {
  readonly #targets: Targets;
  readonly #resolver: Resolver;

  constructor({ targets, resolver }: { targets: Targets; resolver: Resolver }) {
    this.#targets = targets;
    this.#resolver = resolver;
  }

  /** Returns what is wrong with the `url` of a body, without resolving its name. */
  problems({ url }: { url?: string | undefined }): FieldProblem[] {
    const parsed = url === undefined ? null : parseEndpointUrl(url, this.#targets);
    return typeof parsed === 'string' ? [problem(parsed)] : [];
  }

  /** Throws `invalid_request` if the name in the URL has addresses that are not public, or none. */
  async requirePublic(url: string): Promise<void> {
    const found = await endpointUrlProblem(url, this.#targets, this.#resolver);
    if (found !== null) throw invalidRequest([problem(found)]);
  }
}

function problem(rule: string): FieldProblem {
  return { field: 'url', message: `url ${rule}` };
}
