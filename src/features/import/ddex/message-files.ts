import { OperatorError } from '../../../common/operator-error.ts';
import { filesBelow } from '../audio/folder.ts';
import { readBytes, readHead } from '../decode/bytes.ts';
import { UnreadableError } from '../decode/decoded.ts';
import type { Rejection } from '../rejection.ts';
import { type Header, readHeader } from './message.ts';
import { recognizeErn } from './version.ts';

/** The first bytes of a file, which show its first element. */
const HEAD_BYTES = 64 * 1024;
/** The most messages in a folder, because an import orders them before it reads them. */
const MAX_MESSAGES = 100_000;

/** A message of DDEX ERN in a version that Stave reads. */
export interface MessageFile {
  /** The path, which also names it to people. */
  path: string;
  /** The file to read: the path itself, or the copy of what came through a pipe. */
  file: string;
  sizeBytes: number;
  header: Header;
}

/** Examines a file. Returns undefined if it is no message of DDEX ERN, and a rejection if Stave cannot read it. */
export async function examineMessage({
  path,
  file,
  sizeBytes,
}: Omit<MessageFile, 'header'>): Promise<MessageFile | Rejection | undefined> {
  const refusal = (reason: string, line: number | null = null): Rejection => ({
    file: path,
    line,
    field: '',
    reason,
  });
  try {
    const { head } = await readHead(file, HEAD_BYTES);
    const ern = recognizeErn(head);
    if (ern === undefined) {
      return undefined;
    }
    if (ern.problem !== null) {
      return refusal(`the file ${ern.problem}`);
    }
    const header = await readHeader(readBytes(file));
    return header === undefined
      ? refusal('the message has no MessageHeader')
      : { path, file, sizeBytes, header };
  } catch (error) {
    if (error instanceof UnreadableError) {
      return refusal(error.message, error.position > 0 ? error.position : null);
    }
    throw error;
  }
}

/** Examines the XML files below a folder, and returns its messages. It has none if the result is empty. */
export async function messagesBelow(folder: string): Promise<(MessageFile | Rejection)[]> {
  const messages: (MessageFile | Rejection)[] = [];
  for await (const { path, sizeBytes, problem } of filesBelow(folder, ['xml'])) {
    const message =
      problem === null ? await examineMessage({ path, file: path, sizeBytes }) : undefined;
    if (message !== undefined) {
      messages.push(message);
    }
    if (messages.length > MAX_MESSAGES) {
      throw new OperatorError(
        `${folder} has more than ${MAX_MESSAGES} messages: import its folders one by one`,
      );
    }
  }
  return messages;
}
