import { IncomingMessage } from 'node:http';
import { RequestContext } from './route/request-context.ts';

/**
 * A request of Node's server that passes its body on to the reader of its context at once, and discards the body if
 * there is none. This saves the listeners, the promise and the ticks of reading a stream.
 */
export class IncomingRequest extends IncomingMessage {
  /** Node's parser calls this with each piece of the body, and with null at the end of each request. */
  override push(piece: Buffer | null): boolean {
    const reader = RequestContext.find(this)?.bodyReader;
    if (piece !== null) {
      reader?.add(piece);
      return true;
    }
    const mayContinue = super.push(null);
    reader?.end();
    return mayContinue;
  }

  /** Node calls this when the request is complete and its response sent, or the connection is gone. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    RequestContext.find(this)?.bodyReader?.leave();
    super._destroy(error, callback);
  }
}
