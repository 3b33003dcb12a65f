import { type Caller, type LanguageView, seesLanguages } from '../../../common/caller.ts';
import type { Input } from '../input/input.ts';
import { valuesInUrl } from '../input/query.ts';
import type { RequestContext } from '../route/request-context.ts';
import { refuseUnlessGranted } from './authorize.ts';

/** Chooses the language of a response among those of the catalog. */
export interface LanguageChoice {
  /** Returns the view for an `Accept-Language`. */
  forHeader(header: string | undefined): LanguageView;
  /** Returns the view for a well-formed language tag. */
  forTag(tag: string): LanguageView;
}

const ACCESS = { scope: 'localization', feature: 'localization' } as const;

/** The name of the parameter, and of the member of a body. */
const LANGUAGE = 'language';

/** The choice of the language on a route that shows texts (docs/contract/languages.md#choice-of-the-language). */
export class Localization {
  readonly #languages: () => LanguageChoice;
  readonly #readsHeader: boolean;

  constructor(readsHeader: boolean, languages: () => LanguageChoice) {
    this.#readsHeader = readsHeader;
    this.#languages = languages;
  }

  /** Throws if the URL names a language, which the caller may not choose. */
  refuseUnlessAllowed({ request, caller }: RequestContext): void {
    if (!seesLanguages(caller!) && valuesInUrl(request.url!, LANGUAGE).length > 0) {
      refuseUnlessGranted(caller!, ACCESS);
    }
  }

  /** Sets the view of a caller with localization by the header. */
  chooseByHeader(context: RequestContext): void {
    const caller = context.caller!;
    if (!seesLanguages(caller)) return;
    const header = this.#readsHeader ? context.request.headers['accept-language'] : undefined;
    context.caller = { ...caller, language: this.#languages().forHeader(header) };
    context.variesByLanguage = this.#readsHeader;
  }

  /** Sets the view by a valid query or body, if one of them names a language. Throws as `refuseUnlessAllowed`. */
  chooseByInput(context: RequestContext, { query, body }: Pick<Input, 'query' | 'body'>): void {
    const tag = memberOf(query) ?? memberOf(body);
    if (tag === undefined) return;
    refuseUnlessGranted(context.caller!, ACCESS);
    context.caller = { ...context.caller!, language: this.#languages().forTag(tag) };
    context.namesLanguage = true;
  }

  /**
   * Returns the caller as of now, with the view that was chosen. If it has lost localization meanwhile, it sees no other
   * texts, and this throws if the request names a language.
   */
  keepChoice(now: Caller, context: RequestContext): Caller {
    const language = context.caller?.language;
    if (language === undefined) return now;
    if (context.namesLanguage) refuseUnlessGranted(now, ACCESS);
    if (seesLanguages(now)) return { ...now, language };
    context.caller = now;
    context.variesByLanguage = false;
    return now;
  }
}

function memberOf(input: unknown): string | undefined {
  return typeof input === 'object' && input !== null && LANGUAGE in input
    ? (input.language as string | undefined)
    : undefined;
}
