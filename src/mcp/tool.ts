import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import { type Me, type RequestOptions, StaveError } from '#client';
import type { Caller } from './caller.ts';
import { failure } from './failure.ts';

/** What a tool found: structured for programs, and as a short text for models. */
interface ToolResult<Output extends TObject> {
  data: Static<Output>;
  text: string;
}

/** A tool of the server. */
export interface Tool<Input extends TObject = TObject, Output extends TObject = TObject> {
  name: string;
  title: string;
  description: string;
  /** What the client needs. A contract feature is also a scope. */
  scope: Me['scopes'][number];
  input: Input;
  /** The schema of the structured result. */
  output: Output;
  /** True if a call changes nothing. */
  readOnly: boolean;
  run(caller: Caller, input: Static<Input>, options: RequestOptions): Promise<ToolResult<Output>>;
}

/** A tool with its compiled schemas. */
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
    inputSchema: fromJsonSchema<Static<TObject>>({ ...input }),
    outputSchema: fromJsonSchema<Static<TObject>>({ ...output }),
  };
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
