import { deserializeError, serializeError } from '../../../common/threads/serialized-error.ts';
import {
  BELOW_REQUESTS,
  LITTLE_MEMORY,
  startThread,
} from '../../../common/threads/start-thread.ts';
import type { TrackFinder } from '../saved-search-matches.ts';
import type {
  FromWebhookThread,
  IndexAsk,
  Measured,
  ToWebhookThread,
  WebhookThreadData,
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
export function runThread(
  { script, data, finder, onMeasured, onError }: Options,
  signal: AbortSignal,
): Promise<void> {
  const thread = startThread(script, {
    workerData: data,
    name: 'stave webhooks',
    resourceLimits: LITTLE_MEMORY,
    lowerBy: BELOW_REQUESTS,
  });
  const tell = (message: ToWebhookThread) => thread.postMessage(message);
  thread.on('message', async (message: FromWebhookThread) => {
    if (message.kind === 'measured') onMeasured(message.measured);
    else if (message.kind === 'failed') onError(deserializeError(message.fault), message.what);
    else tell({ kind: 'answer', id: message.id, answer: await answerOf(finder, message.ask) });
  });
  let ending: NodeJS.Timeout | undefined;
  const stop = () => {
    tell({ kind: 'stop' });
    ending = setTimeout(() => void thread.terminate(), STOP_MS);
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  thread.on('error', reject).on('exit', () => {
    if (signal.aborted) resolve();
    else reject(new Error('The thread was ended'));
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  return promise.finally(() => {
    clearTimeout(ending);
    signal.removeEventListener('abort', stop);
  });
}

async function answerOf(
  finder: TrackFinder,
  ask: IndexAsk,
): Promise<Extract<ToWebhookThread, { kind: 'answer' }>['answer']> {
  try {
    return ask.kind === 'state' ? await finder.state() : await finder.find(ask.search, ask.request);
  } catch (error) {
    return { fault: serializeError(error) };
  }
}
