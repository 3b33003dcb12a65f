import { deserializeError } from '../../../common/threads/calls.ts';
import {
  BELOW_REQUESTS,
  LITTLE_MEMORY,
  Thread,
  ThreadEnded,
} from '../../../common/threads/thread.ts';
import type { TrackFinder } from '../saved-search-matches.ts';
import type {
  Measured,
  WebhookThread,
  WebhookThreadData,
  WebhookThreadStarter,
} from './messages.ts';

/** The thread is ended if it does not stop by itself in this time. Nothing is lost then. */
const STOP_MS = 3_000;

/** What runs the thread. */
interface Options {
  /** The file of the thread. */
  script: URL;
  data: WebhookThreadData;
  finder: TrackFinder;
  onMeasured(measured: Measured): void;
  /** Called for what has failed, and is repeated. */
  onError(error: unknown, what: string): void;
}

/**
 * Runs the thread that makes and sends the messages to webhooks, until the signal aborts. Resolves when the thread has
 * ended. Rejects if it ends before.
 */
export async function runThread(
  { script, data, finder, onMeasured, onError }: Options,
  signal: AbortSignal,
): Promise<void> {
  const offer: WebhookThreadStarter = {
    state: () => finder.state(),
    find: (search, request) => finder.find(search, request),
    measured: onMeasured,
    failed: (what, fault) => onError(deserializeError(fault), what),
  };
  const thread = new Thread<WebhookThread>(script, {
    offer,
    name: 'stave webhooks',
    resourceLimits: LITTLE_MEMORY,
    lowerBy: BELOW_REQUESTS,
  });
  let ending: NodeJS.Timeout | undefined;
  const stop = () => {
    thread.tell('stop');
    ending = setTimeout(() => void thread.terminate(), STOP_MS);
  };
  const ended = thread.call('run', data);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await ended;
  } catch (error) {
    if (!signal.aborted || !(error instanceof ThreadEnded)) throw error;
  } finally {
    clearTimeout(ending);
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
