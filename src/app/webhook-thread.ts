/** The thread that makes and sends the messages to webhooks, with its own connection to the store. */
import { systemClock } from '../common/clock.ts';
import { silentLog } from '../common/log.ts';
import { offerToStarter, serializeError } from '../common/threads/calls.ts';
import { resolverFor } from '../engines/net/endpoint-url.ts';
import type { StoreLocation } from '../engines/sql/setting-store.ts';
import type {
  WebhookThread,
  WebhookThreadStarter,
} from '../features/webhooks/work/leased-webhooks.ts';
import { sendMessages } from '../features/webhooks/work/send-messages.ts';
import { openStore } from './open/open-store.ts';

/** The tasks of the thread execute few statements at the same time. */
const MAX_CONNECTIONS = 4;

const stopping = new AbortController();

const starter = offerToStarter<WebhookThreadStarter>({
  async run({ store: location, targets, nameServers }) {
    // The thread does not log: the serving thread logs what fails, and that the database is away.
    const logging = { clock: systemClock, log: silentLog };
    const store = await openStore(withFewConnections(location), logging);
    try {
      await sendMessages(
        {
          store,
          clock: systemClock,
          finder: {
            state: () => starter.call('state'),
            find: (search, request) => starter.call('find', search, request),
          },
          resolver: resolverFor(targets, nameServers),
          targets,
          onMeasured: (measured) => starter.tell('measured', measured),
          onError(error, what) {
            if (store.isReachable()) starter.tell('failed', what, serializeError(error));
          },
        },
        stopping.signal,
      );
    } finally {
      await store.close();
    }
  },
  stop: () => stopping.abort(),
} satisfies WebhookThread);

function withFewConnections({ dataFolder, database }: StoreLocation): StoreLocation {
  if (database === null) return { dataFolder, database };
  const pool = Math.min(database.pool, MAX_CONNECTIONS);
  return { dataFolder, database: { ...database, pool } };
}
