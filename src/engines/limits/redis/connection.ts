/** One connection to Redis. It does not reconnect. */
export interface RedisConnection {
  /**
   * Sends a command, together with the others of this turn of the event loop, and resolves with its
   * reply. Rejects with the error that Redis replies. Has no timeout of its own.
   */
  send(command: readonly string[]): Promise<unknown>;
  /** Rejects the commands that still wait for a reply. */
  close(): void;
}

/**
 * Connects and authenticates, or rejects within `timeoutMs`. `onLost` is called at most once, when an
 * open connection breaks. Loads its package on first use, so that only nodes with Redis do.
 */
export async function connectRedis(deps: {
  url: string;
  timeoutMs: number;
  onLost?(error: Error): void;
}): Promise<RedisConnection> {
  const { Redis } = await import('ioredis');
  const url = new URL(deps.url);
  // Without what `logIn` sends, and without the query, from which the package would read options.
  const server = `${url.protocol}//${url.host}`;
  const client = new Redis(server, {
    lazyConnect: true,
    protocol: 2,
    retryStrategy: null,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: deps.timeoutMs,
  });
  let state: 'opening' | 'open' | 'closed' = 'opening';
  const close = () => {
    state = 'closed';
    client.disconnect();
    // Otherwise the socket would wait two seconds for the server to close it.
    client.stream?.destroy();
  };
  const failed = Promise.withResolvers<never>();
  const fail = (error: Error) => {
    if (state === 'opening') failed.reject(error);
    if (state !== 'open') return;
    close();
    deps.onLost?.(error);
  };
  client.on('error', fail);
  client.on('close', () => fail(new Error('the server has closed the connection')));
  const send = (command: readonly string[]) => {
    const { stream } = client;
    if (stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    const [name, ...args] = command;
    return client.call(name!, args);
  };
  try {
    const opened = client.connect().then(() => logIn(send, url));
    await within(deps.timeoutMs, Promise.race([failed.promise, opened]));
  } catch (error) {
    close();
    throw error;
  }
  state = 'open';
  return { send, close };
}

/**
 * Authenticates and selects the database. The package itself would go on after some errors, such as that of a server
 * that has no passwords.
 */
async function logIn(send: RedisConnection['send'], url: URL): Promise<void> {
  const { username, password, pathname } = url;
  const database = pathname.slice(1);
  // A user may have no password (`nopass`), and a server of old has no users.
  const credentials = username === '' ? [password] : [username, password];
  if (username !== '' || password !== '') await send(['AUTH', ...credentials.map(decoded)]);
  if (database !== '') await send(['SELECT', database]);
}

/** Host and port of a Redis URL, for logs and reports. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

/** The error's message as one line, without the user and the password of the URL. */
export function redisFault(error: unknown, url: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const { username, password } = new URL(url);
  return [password, decoded(password), username, decoded(username)]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[secret]'), message || code || 'unknown')
    .split('\n', 1)[0]!;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the doctor asks a Redis. */
export interface RedisFacts {
  /** Such as `7.0.15`. */
  version: string;
  /** Whether it refuses writes, because it is a replica. */
  isReadOnly: boolean;
}

/** Rejects after twice `timeoutMs` at the latest. */
export async function redisFacts(url: string, timeoutMs: number): Promise<RedisFacts> {
  const lost = Promise.withResolvers<never>();
  const connection = await connectRedis({ url, timeoutMs, onLost: lost.reject });
  try {
    const info = connection.send(['INFO']);
    const text = String(await within(timeoutMs, Promise.race([info, lost.promise])));
    return {
      version: /^redis_version:(\S+)/m.exec(text)?.[1] ?? 'unknown',
      isReadOnly: /^role:slave\b/m.test(text) && !/^slave_read_only:0/m.test(text),
    };
  } finally {
    connection.close();
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
