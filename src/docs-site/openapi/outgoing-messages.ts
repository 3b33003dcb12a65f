import type { OutgoingMessage } from '../../engines/http/route/route.ts';
import { exampleOf, type Json, type SchemaLibrary } from './schema-library.ts';

/** The headers of every message. */
const HEADERS: readonly { name: string; description: string; example: string }[] = [
  {
    name: 'webhook-id',
    description: 'The id of the message, which is the same in all attempts and replays.',
    example: 'msg_0193a4c29f107c3e8b7a7b105d2e6c41',
  },
  {
    name: 'webhook-timestamp',
    description: 'The time of the attempt, in seconds since 1970. Refuse old ones.',
    example: '1795341600',
  },
  {
    name: 'webhook-signature',
    description:
      'A signature for each valid secret, separated by spaces: `v1,` and the base64 of the HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}`.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
];

/** Returns the section `webhooks` of the document. */
export function webhooksOf(messages: readonly OutgoingMessage[], library: SchemaLibrary): Json {
  return Object.fromEntries(
    messages.map(({ type, operationId, tag, summary, description, schema }) => [
      type,
      {
        post: {
          operationId,
          tags: [tag],
          summary,
          description,
          security: [],
          parameters: HEADERS.map(({ name, description, example }) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
            example,
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: library.place(schema), example: exampleOf(schema) },
            },
          },
          responses: {
            '2XX': { description: 'The message was received.' },
            '410': { description: 'Send no more messages: the webhook is disabled.' },
            default: { description: 'The message is sent again later.' },
          },
        },
      },
    ]),
  );
}
