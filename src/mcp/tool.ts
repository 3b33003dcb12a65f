import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import {
  type Me,
  type RequestOptions,
  StaveApiError,
  StaveConnectionError,
  StaveError,
} from '#client';
import { type FieldProblem, invalidRequest } from '../common/errors.ts';
import { BODY, isFull, nameHint, report, shortened } from '../engines/http/input/problems.ts';
import { compileCheck } from '../engines/http/input/schema/schema-check.ts';
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
  inputSchema: Schema;
  outputSchema: Schema;
  /** Returns the problems of arguments, in the words of the API. */
  problemsOf(args: object): FieldProblem[];
}

type Schema = ReturnType<typeof fromJsonSchema<Static<TObject>>>;

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
    inputSchema: unchecked(input),
    outputSchema: fromJsonSchema<Static<TObject>>({ ...output }),
    problemsOf: problemsBy(input),
  };
}

/** Describes the input without checking it: the SDK would report problems in the words of its validator. */
function unchecked(input: TObject): Schema {
  // `x-rule` is for our own checks.
  const text = JSON.stringify(input, (key, value) => (key.startsWith('x-') ? undefined : value));
  const schema = fromJsonSchema<Static<TObject>>(JSON.parse(text));
  const validate = (value: unknown) => ({ value: value as Static<TObject> });
  return { ...schema, '~standard': { ...schema['~standard'], validate } };
}

function problemsBy(input: TObject): CompiledTool['problemsOf'] {
  const known = Object.keys(input.properties);
  const check = compileCheck({ ...input, additionalProperties: true });
  return (args) => {
    const problems: FieldProblem[] = [];
    for (const name of Object.keys(args)) {
      // Finding the nearest name is expensive, and a call can have thousands of unknown ones.
      if (known.includes(name) || isFull(problems)) continue;
      const field = shortened(name);
      const hint = nameHint(name, known, 'argument');
      report(problems, field, `${field} is not an argument of this tool${hint}`);
    }
    check(args, BODY, problems);
    return problems;
  };
}

/** Whether the client has the scope and, where it is one, the contract feature. */
export function isGranted({ scopes, features }: Me, scope: Tool['scope']): boolean {
  const isFeature = !['tracks', 'search', 'filters', 'playlists', 'analytics'].includes(scope);
  return scopes.includes(scope) && (!isFeature || features.some((one) => one === scope));
}

/** Adds a tool to a server. An error of the API is a result, so that the model can read it. */
export function registerTool(server: McpServer, caller: Caller, definition: CompiledTool): void {
  const { name, title, description, inputSchema, outputSchema, readOnly } = definition;
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
      const problems = definition.problemsOf(args);
      if (problems.length > 0) return invalid(invalidRequest(problems).message, problems);
      try {
        const { data, text } = await definition.run(caller, args, { signal });
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
  return invalid(error.message);
}

function invalid(message: string, details: readonly FieldProblem[] = []): CallToolResult {
  const type = 'invalid_request';
  const content = { type, message, ...(details.length > 0 && { details }), next: CORRECT };
  return result(content, [`${type}: ${message}`, ...linesOf(details), CORRECT]);
}

function linesOf(details: readonly FieldProblem[]): string[] {
  return details.map(({ field, message }) => `${field}: ${message}`);
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
    ...linesOf(details),
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
