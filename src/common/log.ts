/** The log for the operator. Callers never pass a secret or a token. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that discards every line: for tests and for commands that print their own result. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a log whose lines all have these fields first. */
export function withFields(log: Log, always: object): Log {
  return {
    debug: (fields, message) => log.debug({ ...always, ...fields }, message),
    info: (fields, message) => log.info({ ...always, ...fields }, message),
    warn: (fields, message) => log.warn({ ...always, ...fields }, message),
    error: (fields, message) => log.error({ ...always, ...fields }, message),
  };
}
