import Type, { type TSchema } from 'typebox';
import { ERROR_KINDS, type ErrorKind } from '../../common/errors.ts';
import { oneOf } from '../../common/schema-types.ts';
import { oauthErrorOf } from '../../engines/http/response/envelope.ts';

const FieldProblemSchema = Type.Object(
  {
    field: Type.String({
      description: 'Path of the parameter or member, such as `filterIds[2]`.',
      examples: ['pageSize'],
    }),
    message: Type.String({
      description: 'The rule that is violated.',
      examples: ['pageSize must be a whole number from 1 to 100'],
    }),
  },
  { title: 'FieldProblem' },
);

/**
 * Returns the schema of the error envelope (docs/contract/errors.md#error-object), restricted to a status and
 * its kinds if they are given, and with a schema of `data` if the error has data.
 */
export function errorEnvelopeSchema({
  status,
  kinds = Object.keys(ERROR_KINDS) as readonly ErrorKind[],
  data,
}: {
  status?: number;
  kinds?: readonly ErrorKind[];
  data?: TSchema | undefined;
} = {}) {
  const code =
    status === undefined ? { minimum: 400, maximum: 599 } : { minimum: status, maximum: status };
  return Type.Object({
    data: data ?? Type.Object({}, { additionalProperties: true, description: 'Empty.' }),
    error: Type.Object({
      code: Type.Integer({ description: 'The HTTP status.', ...code }),
      type: oneOf(kinds, {
        description: 'The kind of error. A kind never changes its name or its status.',
      }),
      message: Type.String({ description: 'A sentence that says what to do.' }),
      details: Type.Optional(
        Type.Array(FieldProblemSchema, {
          description: 'All problems of a request that failed validation.',
        }),
      ),
      requestId: Type.String({ description: 'Also sent as `X-Request-Id`.' }),
      docs: Type.String({
        format: 'uri',
        description: 'The URL of a page about this kind of error: its cause and its cure.',
      }),
    }),
  });
}

/**
 * Returns the schema of an error response to an OAuth client (RFC 6749 §5.2), restricted to the given kinds.
 */
export function oauthErrorSchema(
  kinds: readonly ErrorKind[] = Object.keys(ERROR_KINDS) as ErrorKind[],
) {
  const codes = new Set(kinds.map(oauthErrorOf));
  return Type.Object({
    error: oneOf([...codes], { description: 'The kind of error, for the OAuth library.' }),
    error_description: Type.String({
      description: 'A sentence for people that says what is wrong, in ASCII.',
    }),
    error_uri: Type.String({
      format: 'uri',
      description: 'The URL of a page about this kind of error: its cause and its cure.',
    }),
  });
}

/** The schema of `error` in every successful response. */
export const NoErrorSchema = Type.Object(
  {
    code: Type.Unsafe<0>({ type: 'integer', const: 0 }),
    message: Type.Unsafe<'OK'>({ type: 'string', const: 'OK' }),
  },
  { title: 'NoError', description: 'There is no error.', examples: [{ code: 0, message: 'OK' }] },
);
