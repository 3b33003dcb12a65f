import { Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Timeouts } from './connection/node-server.ts';
import type { OpenWork } from './open-work.ts';
import type { Readiness } from './readiness.ts';
import { unavailable } from './response/errors.ts';
import type { RequestTracker } from './route/request-tracker.ts';

/** How long the last responses may take after the drain. */
const LAST_RESPONSES_MS = 250;

/**
 * Completes the open requests and work when the server closes, and then ends all connections. This takes at most
 * `drainMs`, and a moment for responses of 503 to the requests whose bodies are incomplete by then.
 */
export function drainBeforeClose(
  app: FastifyInstance,
  deps: { readiness: Readiness; tracker: RequestTracker; openWork: OpenWork; timeouts: Timeouts },
): void {
  const { readiness, tracker, openWork, timeouts } = deps;
  app.addHook('preClose', async () => {
    readiness.drain();
    const allClosed = new Promise<void>((resolve) => app.server.once('close', () => resolve()));
    // Only stops listening. The `close` of node:http would also close connections that count as idle while
    // their last response is still being sent.
    NetServer.prototype.close.call(app.server);
    const drained = async () => {
      await tracker.drained();
      // A request may have been on its way when the last response was sent. It still gets a response.
      await Promise.race([allClosed, deadline(timeouts.lingerMs)]);
      await tracker.drained();
      await openWork.ended();
    };
    await Promise.race([drained(), deadline(timeouts.drainMs)]);
    tracker.failBodies(unavailable('This node stops; send the request again.', 1));
    await Promise.race([tracker.drained(), deadline(LAST_RESPONSES_MS)]);
    app.server.closeAllConnections();
  });
}

function deadline(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
