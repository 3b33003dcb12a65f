import type { RequestHeader, Route } from '../../engines/http/route/route.ts';
import type { Json } from './schema-library.ts';

type HeaderName = RequestHeader | 'If-Match' | 'Idempotency-Key';

interface Header {
  description: string;
  example: string;
  required?: true;
}

const HEADERS: Readonly<Record<HeaderName, Header>> = {
  'Accept-Language': {
    description: 'The preferred languages of texts, as RFC 9110 §12.5.4 defines them.',
    example: 'de, en;q=0.5',
  },
  'Idempotency-Key': {
    description:
      'A text of your choice, with or without quotes. A repeat of the request with the same key within 24 hours has no further effect.',
    example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
  },
  'If-Match': {
    description: 'The `ETag` of the version that the request changes, or `*` for any version.',
    example: '"3"',
    required: true,
  },
  'X-Stave-Now': {
    description:
      'The time at which a request in test mode takes place, as RFC 3339 writes it. Ignored in live mode.',
    example: '2026-11-21T10:40:10.000Z',
  },
};

/** Returns the parameters for the request headers that an operation reads, beside those of every request. */
export function requestHeadersOf({
  requestHeaders = [],
  idempotent,
  needsMatch,
  localized,
}: Route): Json[] {
  const names: HeaderName[] = [
    ...(idempotent ? (['Idempotency-Key'] as const) : []),
    ...(needsMatch ? (['If-Match'] as const) : []),
    ...requestHeaders,
    ...(localized === 'header' ? (['Accept-Language'] as const) : []),
  ];
  return names.map(parameterOf);
}

function parameterOf(name: HeaderName): Json {
  const { description, example, required = false } = HEADERS[name];
  return {
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
    // The reference page shows the example of an optional header but does not send it.
    ...(required ? { example } : { examples: { example: { value: example, 'x-disabled': true } } }),
  };
}
