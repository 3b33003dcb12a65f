import type { TObject } from 'typebox';

/** A message that the service sends to servers of clients. */
export interface OutgoingMessage {
  /** The value of `type` in the message. */
  type: string;
  /** Unique among all operations. */
  operationId: string;
  /** One line. */
  summary: string;
  /** Markdown. */
  description: string;
  tag: string;
  /** The schema of the body. */
  schema: TObject;
}
