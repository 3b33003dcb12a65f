import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StaveError } from '../../../common/errors.ts';

/** One request and its response, as the intake of their connection sees them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the caller is authenticated. The next request of the connection then waits for no turn. */
  readonly isAuthenticated: boolean;
  /** Whether the body may arrive. */
  readonly acceptsBody: boolean;
  /** Called when the body may arrive. */
  onBodyWanted: (() => void) | undefined;
  /** The length of the request line as it arrived, without its line break. */
  requestLineBytes: number;
  /** Whether the request waited too long for its turn. */
  isLate: boolean;
  /** Whether the connection ends after this response. */
  isLast: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /**
   * Fails the body, because its framing is invalid or it arrived too slowly. The response is the last of its
   * connection.
   */
  failBody(failure: StaveError): void;
}
