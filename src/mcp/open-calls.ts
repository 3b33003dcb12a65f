import { randomUUID } from 'node:crypto';

/** The header that names a session in the older revision of the protocol. */
export const SESSION_HEADER = 'mcp-session-id';
/** More than any client sends at once. Each message of a body is a call of its own. */
export const MAX_MESSAGES = 20;

/** The members of a JSON-RPC message that count here; strangers write them. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown } | null;
}

/** Returns the messages of a body; none if it is not JSON, which the handler of the protocol reports. */
export function messagesIn(body: Buffer): Message[] {
  try {
    const content: unknown = JSON.parse(body.toString());
    const messages = Array.isArray(content) ? content : [content];
    return messages.filter((one) => typeof one === 'object' && one !== null);
  } catch {
    return [];
  }
}

/** Returns the id of a new session if the client asks for one, in the older revision. Nothing is stored under it. */
export function newSession(messages: readonly Message[]): string | undefined {
  return messages.some(({ method }) => method === 'initialize') ? randomUUID() : undefined;
}

/**
 * The calls over HTTP that are under way. The older revision of the protocol cancels a call by a message of its own,
 * with the id of the call. Clients count these ids from 0, so that only the session tells the calls of two clients apart.
 */
export class OpenCalls {
  readonly #calls = new Map<string, AbortController>();

  /**
   * Adds the calls of one request, until the returned function is called, and cancels the calls that the request cancels.
   *
   * @param scope what the calls of one client have in common
   */
  begin(scope: string, messages: readonly Message[], controller: AbortController): () => void {
    const keyOf = (id: string | number) => JSON.stringify([scope, id]);
    const keys: string[] = [];
    for (const { id, method, params } of messages) {
      const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
      if (isId(cancelled)) this.#calls.get(keyOf(cancelled))?.abort();
      if (!isId(id)) continue;
      keys.push(keyOf(id));
      this.#calls.set(keys.at(-1)!, controller);
    }
    return () => {
      for (const key of keys) {
        if (this.#calls.get(key) === controller) this.#calls.delete(key);
      }
    };
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
