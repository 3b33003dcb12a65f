import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import {
  type Me,
  type RequestOptions,
  StaveApiError,
  StaveConnectionError,
  StaveError,
} from '#client';
import { meantNames } from '../engines/http/input/problems.ts';
import type { Caller } from './callers.ts';

/** What a tool found: structured for programs, and as a short text for models. */
interface ToolResult<Output extends TObject> {
  data: Static<Output>;
  text: string;
}

export interface Tool<Input extends TObject = TObject, Output extends TObject = TObject> {
  name: string;
  title: string;
  description: string;
  /** What the client needs. A contract feature is also a scope. */
  scope: Me['scopes'][number];
  input: Input;
  /** The schema of the structured result. */
  output: Output;
  readOnly: boolean;
  run(caller: Caller, input: Static<Input>, options: RequestOptions): Promise<ToolResult<Output>>;
}

export interface CompiledTool extends Omit<Tool, 'input' | 'output'> {
  inputSchema: ReturnType<typeof fromJsonSchema<Static<TObject>>>;
  outputSchema: ReturnType<typeof fromJsonSchema<Static<TObject>>>;
}

/**
 * Infers the types of the input and the output of a tool from its definition, and compiles both. This is done once,
 * because each request over HTTP has a server of its own, and what is compiled stays in memory.
 */
export function tool<Input extends TObject, Output extends TObject>({
  input,
  output,
  ...definition
}: Tool<Input, Output>): CompiledTool {
  return {
    ...(definition as unknown as Omit<Tool, 'input' | 'output'>),
    inputSchema: namingUnknown(fromJsonSchema<Static<TObject>>({ ...input }), input),
    outputSchema: fromJsonSchema<Static<TObject>>({ ...output }),
  };
}

type InputSchema = CompiledTool['inputSchema'];

/** Adds the names of unknown arguments to the problems of a schema, which otherwise says only that there are some. */
function namingUnknown(schema: InputSchema, { properties }: TObject): InputSchema {
  const standard = schema['~standard'];
  const known = Object.keys(properties);
  const validate: typeof standard.validate = (value) => {
    const given = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const unknown = given.filter((name) => !known.includes(name)).slice(0, MAX_NAMED);
    if (unknown.length === 0) return standard.validate(value);
    return { issues: unknown.map((name) => ({ message: unknownArgument(name, known) })) };
  };
  return { ...schema, '~standard': { ...standard, validate } };
}

const MAX_NAMED = 20;

function unknownArgument(name: string, known: readonly string[]): string {
  const meant = meantNames(name, known);
  const hint =
    meant.length === 0
      ? `the known ones are ${known.join(', ') || 'none'}`
      : `did you mean ${meant.join(' or ')}?`;
  return `${JSON.stringify(name.slice(0, 60))} is not an argument of this tool (${hint})`;
}

/** Whether the client has the scope and, where it is one, the contract feature. */
export function isGranted({ scopes, features }: Me, scope: Tool['scope']): boolean {
  const isFeature = !['tracks', 'search', 'filters', 'playlists', 'analytics'].includes(scope);
  return scopes.includes(scope) && (!isFeature || features.some((one) => one === scope));
}

/** Adds a tool to a server. An error of the API is a result, so that the model can read it. */
export function registerTool(server: McpServer, caller: Caller, definition: CompiledTool): void {
  const { name, title, description, inputSchema, outputSchema, readOnly, run } = definition;
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema,
      outputSchema,
      annotations: {
        readOnlyHint: readOnly,
        idempotentHint: readOnly,
        destructiveHint: false,
        openWorldHint: false,
      },
    },
    async (args, { mcpReq: { signal } }): Promise<CallToolResult> => {
      try {
        const { data, text } = await run(caller, args, { signal });
        return { structuredContent: data, content: [{ type: 'text', text }] };
      } catch (error) {
        if (!(error instanceof StaveError)) throw error;
        return failure(error);
      }
    },
  );
}

const CORRECT = 'Correct the arguments as the message says, and call the tool again.';
const CHOOSE =
  'Find another slug or id with a tool that lists or searches, and call the tool again.';
const ASK_OPERATOR =
  'Do not call the tool again. Tell the user to ask the operator of the catalog.';
const LATER = 'If it fails again, tell the user, and name the request.';

/** What a model does next, by the kind of error. The service has more kinds, which calls of tools do not meet. */
const NEXT: Readonly<Partial<Record<StaveApiError['type'], string>>> = {
  invalid_request: CORRECT,
  payload_too_large: CORRECT,
  not_found: CHOOSE,
  gone: CHOOSE,
  insufficient_scope: ASK_OPERATOR,
  feature_not_enabled: ASK_OPERATOR,
  invalid_token: ASK_OPERATOR,
  invalid_client: ASK_OPERATOR,
  rate_limited: `Wait, and call the tool again. ${LATER}`,
  unavailable: `Wait, and call the tool again. ${LATER}`,
  request_timeout: `Call the tool again. ${LATER}`,
  internal_error: `Call the tool again once. ${LATER}`,
};

/**
 * The result of a call that the API or the client library refused, or that did not reach the API. It says what a model
 * does next.
 */
function failure(error: StaveError): CallToolResult {
  if (error instanceof StaveApiError) return refusal(error);
  if (error instanceof StaveConnectionError) return unreachable(error);
  const { message } = error;
  const content = { type: 'invalid_request', message, next: CORRECT };
  return result(content, [`invalid_request: ${message}`, CORRECT]);
}

function unreachable({ message }: StaveConnectionError): CallToolResult {
  const next =
    'Call the tool again after a minute. If it fails again, tell the user that the catalog cannot be reached.';
  return result({ type: 'unreachable', message, next }, [`unreachable: ${message}`, next]);
}

function refusal(error: StaveApiError): CallToolResult {
  const { type, message, details, requestId, docs, retryAfterSeconds } = error;
  const usual = NEXT[type] ?? `Do not call the tool again. Tell the user, and name the request.`;
  const next =
    retryAfterSeconds === null
      ? usual
      : usual.replace(/^Wait,/, `Wait ${Math.ceil(retryAfterSeconds)} seconds,`);
  return result({ type, message, details, requestId, docs, next }, [
    `${type}: ${message}`,
    ...details.map((one) => `${one.field}: ${one.message}`),
    next,
    ...(docs === null ? [] : [`cause and cure: ${docs}`]),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ]);
}

function result(error: Record<string, unknown>, lines: readonly string[]): CallToolResult {
  return {
    isError: true,
    structuredContent: { error },
    content: [{ type: 'text', text: lines.join('\n') }],
  };
}
