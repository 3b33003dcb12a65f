import type { RequestContext } from '../route/request-context.ts';

/** The longest time between two requests whose responses are sent together, in milliseconds. */
const MAX_APART_MS = 1;
/** More pages would have left the caches of the processor when they are sent. */
const MAX_RESPONSES = 8;

interface Queued {
  context: RequestContext;
  body: Buffer | null;
}

let queued: Queued[] = [];
let isScheduled = false;

/**
 * Sends a body, and ends the response, whose head is written. The responses to requests that one round of the event loop
 * reads are sent together, because each write wakes the program at the other end if that sleeps, which takes 8 µs on the
 * same machine (bench/results/2026-11-29-one-core.md). None waits for a handler: see `sendQueued`.
 */
export function sendSoon(context: RequestContext, body: Buffer | null): void {
  const first = queued[0];
  const isLate = first !== undefined && context.startedMs - first.context.startedMs > MAX_APART_MS;
  queued.push({ context, body });
  if (isLate || queued.length === MAX_RESPONSES) {
    sendQueued();
  } else if (!isScheduled) {
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendQueued();
    });
  }
}

/** Sends what is queued. To be called before work that may take long. */
export function sendQueued(): void {
  if (queued.length === 0) return;
  const sent = queued;
  queued = [];
  for (const { context, body } of sent) {
    const { response, request, releaseResponse } = context;
    response.end(request.method === 'HEAD' ? null : body);
    if (releaseResponse === undefined) continue;
    if (response.writableEnded && response.writableLength === 0) releaseResponse();
    // The socket still reads the body. A connection that closes before emits no `finish`; then nothing uses the memory
    // again.
    else response.once('finish', releaseResponse);
  }
}
