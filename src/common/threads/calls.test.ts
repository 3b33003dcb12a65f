import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { OperatorError, StaveError } from '../errors.ts';
import { deserializeError, type SerializedError, serializeError } from './calls.ts';

/** The error after its transfer through a MessageChannel. */
function sent(error: unknown): Error {
  const { port1, port2 } = new MessageChannel();
  try {
    port1.postMessage(serializeError(error));
    return deserializeError(receiveMessageOnPort(port2)!.message as SerializedError);
  } finally {
    port1.close();
  }
}

describe('an error that is sent to another thread', () => {
  it('stays an OperatorError with its cause', () => {
    const cause = Object.assign(new Error('too many clients'), { code: '53300' });
    const error = sent(new OperatorError('Raise max_connections.', { cause }));
    expect(error).toBeInstanceOf(OperatorError);
    expect(error).toMatchObject({
      name: 'OperatorError',
      message: 'Raise max_connections.',
      cause: { message: 'too many clients', code: '53300' },
    });
  });

  it('stays a StaveError with its kind, headers and details', () => {
    const headers = { 'Retry-After': '1' };
    const details = [{ field: 'a', message: 'a is missing' }];
    const error = sent(new StaveError('unavailable', 'Later.', { headers, details }));
    expect(error).toBeInstanceOf(StaveError);
    expect(error).toMatchObject({ kind: 'unavailable', headers, details });
  });

  it('keeps the code of a plain error, and its stack', () => {
    const error = Object.assign(new Error('no room'), { code: 'ENOSPC', path: '/data' });
    expect(sent(error)).toMatchObject({
      message: 'no room',
      code: 'ENOSPC',
      path: '/data',
      stack: error.stack,
    });
  });

  it('accepts an error that is its own cause, and a value that is not an error', () => {
    const error: Error = new Error('again');
    error.cause = error;
    expect(sent(error).message).toBe('again');
    expect(sent('a text').message).toBe('a text');
  });
});
