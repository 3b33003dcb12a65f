import { StaveError } from '../kernel/errors.ts';
import type { Exchange } from './exchange.ts';

/** The most that a body may hold (decisions §1, Bounds). */
export const MAX_BODY_BYTES = 64 * 1024;

/** The caller is gone: nobody is left to answer, and nothing went wrong. */
export class CallerGone extends Error {
  constructor() {
    super('The caller left before the request was complete.');
    this.name = 'CallerGone';
  }
}

/** Whether the request brings a body, by its framing (RFC 9112 §6). */
export function hasBody({ request }: Exchange): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * The bytes of the body. Rejects with payload_too_large as soon as it is known, with what the parser
 * says about a body that breaks off, or with CallerGone. What is left unread of a body is read and
 * thrown away by Node, within the request's time, so that the answer reaches a client that is still
 * sending.
 */
export function readBody(exchange: Exchange, limitBytes: number): Promise<Buffer> {
  const { request, response } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    return Promise.reject(tooLarge(limitBytes));
  }
  if (exchange.awaitsContinue) {
    exchange.awaitsContinue = false;
    response.writeContinue();
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) {
        settle();
        request.resume();
        reject(tooLarge(limitBytes));
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = () => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, sizeBytes));
    };
    // After `end` this says nothing new; before it, the connection is gone.
    const onClose = () => {
      settle();
      reject(new CallerGone());
    };
    const settle = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    exchange.onBodyFailure((failure) => {
      settle();
      reject(failure);
    });
  });
}

function tooLarge(limitBytes: number): StaveError {
  return new StaveError(
    'payload_too_large',
    `The body must be at most ${limitBytes / 1024} KiB long.`,
  );
}
