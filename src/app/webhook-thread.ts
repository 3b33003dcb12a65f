/**
 * The thread that makes and sends the messages to webhooks, with its own connection to the store. run-thread.ts starts
 * it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../common/clock.ts';
import { silentLog } from '../common/log.ts';
import { serializeError } from '../common/threads/serialized-error.ts';
import { resolverFor } from '../engines/net/resolver.ts';
import type { StoreLocation } from '../engines/sql/store-location.ts';
import type {
  FromWebhookThread,
  ToWebhookThread,
  WebhookThreadData,
} from '../features/webhooks/work/messages.ts';
import { RemoteTrackFinder } from '../features/webhooks/work/remote-track-finder.ts';
import { sendMessages } from '../features/webhooks/work/send-messages.ts';
import { openStore } from './open/open-store.ts';

/** The tasks of the thread execute few statements at the same time. */
const MAX_CONNECTIONS = 4;

const { store: location, targets, nameServers }: WebhookThreadData = workerData;
const port = parentPort!;
const stopping = new AbortController();
const finder = new RemoteTrackFinder((id, ask) => tell({ kind: 'ask', id, ask }));

port.on('message', (message: ToWebhookThread) => {
  if (message.kind === 'stop') stopping.abort();
  else finder.answered(message.id, message.answer);
});

// The thread does not log: the serving thread logs what fails, and that the database is away.
const store = await openStore(withFewConnections(location), { clock: systemClock, log: silentLog });
try {
  await sendMessages(
    {
      store,
      clock: systemClock,
      finder,
      resolver: resolverFor(targets, nameServers),
      targets,
      onMeasured: (measured) => tell({ kind: 'measured', measured }),
      onError(error, what) {
        if (store.isReachable()) tell({ kind: 'failed', what, fault: serializeError(error) });
      },
    },
    stopping.signal,
  );
} finally {
  await store.close();
  port.close();
}

function withFewConnections({ dataFolder, database }: StoreLocation): StoreLocation {
  if (database === null) return { dataFolder, database };
  const pool = Math.min(database.pool, MAX_CONNECTIONS);
  return { dataFolder, database: { ...database, pool } };
}

function tell(message: FromWebhookThread): void {
  port.postMessage(message);
}
