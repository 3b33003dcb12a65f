/** The log for the operator. Callers never pass a secret or a token. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that discards every line: for tests and for commands that print their own result. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
