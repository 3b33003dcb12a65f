import { isMainThread, parentPort } from 'node:worker_threads';
import { type ErrorKind, type FieldProblem, OperatorError, StaveError } from '../errors.ts';

/**
 * What a thread offers another one: functions by name. Their arguments and results are cloned, except that an argument
 * may be a function, which the other thread can call until it has responded. A call of it returns a promise there.
 */
export type Offer<Functions> = {
  [Name in keyof Functions]: (...args: never[]) => unknown;
};

type Args<Called> = Called extends (...args: infer Parameters) => unknown ? Parameters : never;
type Result<Called> = Called extends (...args: never[]) => infer Returned
  ? Awaited<Returned>
  : never;

/** A call of a function by its name, or of an argument by its number; or the end of a call. */
type Message =
  | {
      id: number;
      called: string | number;
      args: unknown[];
      functions: [place: number, id: number][];
    }
  | { id: number; result: unknown }
  | { id: number; fault: SerializedError };

/** The side of a `Worker` or of its `parentPort`. */
interface Port {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

/** Returns the buffers that the other thread gets without a copy, of the arguments of a call or of a result. */
export type Moved = (sent: unknown) => ArrayBuffer[];

/** The calls between this thread and another one. */
export class Calls<Theirs extends Offer<Theirs>> {
  readonly #port: Port;
  readonly #offer: ReadonlyMap<string, (...args: unknown[]) => unknown>;
  readonly #moved: Moved;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  /** The functions among the arguments of open calls. */
  readonly #functions = new Map<number, (...args: unknown[]) => unknown>();
  #lastId = 0;
  #failure: Error | undefined;

  constructor(port: Port, offer: object, moved: Moved = () => []) {
    this.#port = port;
    this.#offer = new Map(Object.entries(offer));
    this.#moved = moved;
    port.on('message', (message) => this.#received(message));
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Rejects with the error of the function, or of `fail`. */
  readonly call = <Name extends keyof Theirs & string>(
    name: Name,
    ...args: Args<Theirs[Name]>
  ): Promise<Result<Theirs[Name]>> => this.#call(name, args) as Promise<Result<Theirs[Name]>>;

  /** Calls a function, and ignores its result and its error. */
  readonly tell = <Name extends keyof Theirs & string>(
    name: Name,
    ...args: Args<Theirs[Name]>
  ): void => {
    this.call(name, ...args).catch(() => {});
  };

  /** Rejects the open calls and all later ones, because the other thread has ended. The first error counts. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(this.#failure);
    this.#open.clear();
    this.#functions.clear();
  }

  /** Keeps nothing of the arguments except functions: they may be hundreds of megabytes. */
  #call(called: string | number, args: readonly unknown[]): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    const functions: [place: number, id: number][] = [];
    const sent = args.map((arg, place) => {
      if (typeof arg !== 'function') return arg;
      functions.push([place, ++this.#lastId]);
      this.#functions.set(this.#lastId, arg as () => unknown);
      return null;
    });
    this.#post({ id, called, args: sent, functions }, sent);
    const open = Promise.withResolvers<unknown>();
    this.#open.set(id, open);
    return open.promise.finally(() => {
      for (const [, of] of functions) this.#functions.delete(of);
    });
  }

  #received(message: Message): void {
    if ('called' in message) {
      this.#respond(message).catch((error: unknown) =>
        this.#post({ id: message.id, fault: serializeError(error) }),
      );
      return;
    }
    const open = this.#open.get(message.id);
    this.#open.delete(message.id);
    if ('fault' in message) open?.reject(deserializeError(message.fault));
    else open?.resolve(message.result);
  }

  async #respond({
    id,
    called,
    args,
    functions,
  }: Extract<Message, { called: unknown }>): Promise<void> {
    for (const [place, of] of functions) {
      args[place] = (...given: unknown[]) => this.#call(of, given);
    }
    const own = typeof called === 'string' ? this.#offer.get(called) : this.#functions.get(called);
    // `splice` frees the arguments before the call ends. There is no function if the other thread has responded to the
    // call whose argument it was.
    const result = await own?.(...args.splice(0));
    this.#post({ id, result }, result);
  }

  #post(message: Message, sent?: unknown): void {
    this.#port.postMessage(message, this.#moved(sent));
  }
}

/**
 * Offers functions to the thread that has started this one, and returns the calls of what that one offers. Does nothing
 * in the main thread, for tests.
 */
export function offerToStarter<Theirs extends Offer<Theirs>>(
  offer: object,
  moved?: Moved,
): Calls<Theirs> {
  const nobody: Port = { postMessage: () => {}, on: () => {} };
  return new Calls(isMainThread ? nobody : parentPort!, offer, moved);
}

/** Returns the bytes of a Buffer that another thread has sent, which arrives as Uint8Array. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** An error in a form that can be sent to another thread. A plain transfer would lose its class and most members. */
export interface SerializedError {
  /** The class that `deserializeError` restores; null for a plain Error. */
  type: 'OperatorError' | 'StaveError' | null;
  message: string;
  /** The name, the stack, and `code`, `errcode`, `path` and `syscall` of system and database errors. */
  members: Readonly<Record<string, unknown>>;
  stave?: {
    kind: ErrorKind;
    headers: Record<string, string>;
    details?: readonly FieldProblem[] | undefined;
  };
  cause?: SerializedError;
}

/** An error of the system or of SQLite, which numbers its errors. */
type SystemError = NodeJS.ErrnoException & { errcode?: number };

/** The greatest depth of causes that is sent; an error may be its own cause. */
const MAX_CAUSES = 5;

/** Converts an error for sending. A value that is not an error becomes an error with its text as message. */
export function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { type: null, message: String(error), members: {} };
  const { name, stack, code, errcode, path, syscall } = error as SystemError;
  const members = Object.entries({ name, stack, code, errcode, path, syscall });
  return {
    type:
      error instanceof OperatorError
        ? 'OperatorError'
        : error instanceof StaveError
          ? 'StaveError'
          : null,
    message: error.message,
    members: Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    ...(error instanceof StaveError && {
      stave: { kind: error.kind, headers: { ...error.headers }, details: error.details },
    }),
    ...(error.cause !== undefined &&
      depth < MAX_CAUSES && { cause: serializeError(error.cause, depth + 1) }),
  };
}

export function deserializeError({ type, message, members, stave, cause }: SerializedError): Error {
  const options = cause && { cause: deserializeError(cause) };
  const error =
    type === 'OperatorError'
      ? new OperatorError(message, options)
      : type === 'StaveError'
        ? new StaveError(stave!.kind, message, { ...stave, ...options })
        : new Error(message, options);
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
  return error;
}
