import { FEATURES, SCOPES } from '../../../common/caller/scopes.ts';
import { DEFAULT_RATE_LIMIT, STANDARD_RATE_CARD } from '../../../features/access/client.ts';
import type { ClientInput } from '../../../features/access/client-rules.ts';
import type { ClientRecord } from '../../../features/access/clients.ts';
import type { FormValues } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { choices, field } from '../pages/parts.ts';

/** The fields of a client. `client`: the one that they change; undefined for a new one. */
export function termFields(given: FormValues, client?: ClientRecord): Html {
  const text = (name: 'name' | 'account' | 'rateLimit' | 'rateCard') =>
    given.text(name, client?.[name] ?? null);
  return html`${field('Name', html`<input name="name" required maxlength="200" autocomplete="off" value="${text('name')}">`, 'The partner or the program.')}
${choices('Scopes', 'scopes', SCOPES, given.all('scopes', client?.scopes ?? ['tracks', 'search', 'filters']))}
${choices('Contract features', 'features', FEATURES, given.all('features', client?.features))}
${field('Requests a minute', html`<input name="rateLimit" type="number" min="1" max="1000000" placeholder="${DEFAULT_RATE_LIMIT}" value="${text('rateLimit')}">`, 'Empty for the default.')}
${field('Account', html`<input name="account" maxlength="200" autocomplete="off" value="${text('account')}">`, 'Clients of one account share collections. Empty for its own.')}
${field('Rate card', html`<input name="rateCard" maxlength="100" autocomplete="off" placeholder="${STANDARD_RATE_CARD}" value="${text('rateCard')}">`)}`;
}

/** Returns the members of a client that a form gives. Empty fields stand for the default. */
export function termsOf(form: URLSearchParams): ClientInput {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  const limit = text('rateLimit');
  return {
    name: text('name'),
    scopes: form.getAll('scopes'),
    features: form.getAll('features'),
    rateLimit: limit === '' ? null : Number(limit),
    account: text('account') === '' ? null : text('account'),
    rateCard: text('rateCard') || STANDARD_RATE_CARD,
  };
}
