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
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url: deps.url,
    // With RESP3, a server that does not support it repeats the password in its error.
    RESP: 2,
    disableOfflineQueue: true,
    // The client's own timeout costs an AbortSignal per command and ends before the command is written.
    commandOptions: { timeout: 0 },
    // Shorter than the total, because closing a client that still connects would leave its socket open.
    socket: { reconnectStrategy: false, connectTimeout: deps.timeoutMs / 2 },
  });
  let state: 'opening' | 'open' | 'closed' = 'opening';
  const close = () => {
    state = 'closed';
    client.destroy();
  };
  client.on('error', (error: Error) => {
    if (state === 'open') {
      close();
      deps.onLost?.(error);
    }
  });
  try {
    await within(deps.timeoutMs, client.connect());
  } catch (error) {
    close();
    throw error;
  }
  state = 'open';
  return { send: (command) => client.sendCommand(command), close };
}

/** Host and port of a Redis URL, for logs and reports. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

/** The error's message as one line, without the password of the URL. */
export function redisFault(error: unknown, url: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const line = (message || code || 'unknown').split('\n', 1)[0]!;
  const { password } = new URL(url);
  return [password, decoded(password)]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[secret]'), line);
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
