import type { ClientInput } from '../../access/client-rules.ts';

/** Returns the members of a client that a form gives. Empty fields stand for the default. */
export function termsOf(form: URLSearchParams): ClientInput {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  const limit = text('rateLimit');
  const rateCard = text('rateCard');
  return {
    name: text('name'),
    scopes: form.getAll('scopes'),
    features: form.getAll('features'),
    rateLimit: limit === '' ? null : Number(limit),
    account: text('account') === '' ? null : text('account'),
    ...(rateCard !== '' && { rateCard }),
  };
}
