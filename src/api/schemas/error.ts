import Type, { type TSchema } from 'typebox';
import { ERROR_KINDS, type ErrorKind } from '../../kernel/errors.ts';
import { oneOf } from './fields.ts';

const FieldProblemSchema = Type.Object(
  {
    field: Type.String({
      description: 'Path of the parameter or member, such as `filterIds[2]`.',
      examples: ['pageSize'],
    }),
    message: Type.String({
      description: 'The rule it breaks.',
      examples: ['pageSize must be a whole number from 1 to 100'],
    }),
  },
  { title: 'FieldProblem' },
);

/**
 * The envelope of failed answers (decisions §1): of one status and its kinds where they are given,
 * with data where a failure has some.
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
        description: 'The kind of error, which keeps its name and its status for ever.',
      }),
      message: Type.String({ description: 'One sentence that the caller can act on.' }),
      details: Type.Optional(
        Type.Array(FieldProblemSchema, {
          description: 'Each problem of a request that failed validation.',
        }),
      ),
      requestId: Type.String({ description: 'Also sent as `X-Request-Id`.' }),
    }),
  });
}

/** `error` of every successful answer: exactly this. */
export const NoErrorSchema = Type.Object(
  {
    code: Type.Unsafe<0>({ type: 'integer', const: 0 }),
    message: Type.Unsafe<'OK'>({ type: 'string', const: 'OK' }),
  },
  { title: 'NoError', description: 'There is no error.', examples: [{ code: 0, message: 'OK' }] },
);
