/** One connection to Redis, from its opening to its loss; it does not come back by itself. */
export interface RedisConnection {
  /**
   * Sends a command in this turn's batch and resolves with its reply; rejects with what Redis
   * refuses. Waits for as long as the connection lives.
   */
  send(command: readonly string[]): Promise<unknown>;
  /** Rejects what still waits. */
  close(): void;
}

/**
 * Connects and authenticates, or rejects within `patienceMs`. `onLost` is called at most once, when
 * the connection was there and broke. The package is loaded here, by those who use Redis only.
 */
export async function connectRedis(deps: {
  url: string;
  patienceMs: number;
  onLost?(error: Error): void;
}): Promise<RedisConnection> {
  const { createClient } = await import('redis');
  const client = createClient({
    url: deps.url,
    // In the third protocol, servers that do not know it repeat the password in their error.
    RESP: 2,
    disableOfflineQueue: true,
    // A time-out of the client's costs a signal a command and ends before the command is written.
    commandOptions: { timeout: 0 },
    // Sooner than the whole: closing a client that is still connecting would leave its socket open.
    socket: { reconnectStrategy: false, connectTimeout: deps.patienceMs / 2 },
  });
  let state: 'opening' | 'open' | 'over' = 'opening';
  const close = () => {
    state = 'over';
    client.destroy();
  };
  client.on('error', (error: Error) => {
    if (state === 'open') {
      close();
      deps.onLost?.(error);
    }
  });
  const overdue = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    overdue.reject(new Error(`no answer within ${deps.patienceMs} ms`));
  }, deps.patienceMs);
  try {
    await Promise.race([client.connect(), overdue.promise]);
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  state = 'open';
  return { send: (command) => client.sendCommand(command), close };
}

/** Host and port of a Redis URL, for people. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

/** What went wrong, in one line that never holds the URL's password. */
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
