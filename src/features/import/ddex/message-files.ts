import { OperatorError } from '../../../common/errors.ts';
import { filesBelow } from '../audio/folder.ts';
import { readBytes, readHead } from '../decode/bytes.ts';
import { HEAD_BYTES } from '../decode/format.ts';
import { fileRejection, type Rejection, unreadableRejection } from '../item.ts';
import { type Header, readHeader } from './message.ts';

/** The most messages in a folder, because an import orders them before it reads them. */
const MAX_MESSAGES = 100_000;

export interface MessageFile {
  path: string;
  file: string;
  sizeBytes: number;
  header: Header;
  /** Of DDEX ERN, such as `3.8.2`. */
  version: string;
}

/** Examines a file. Returns undefined if it is no message of DDEX ERN, and a rejection if Stave cannot read it. */
export async function examineMessage({
  path,
  file,
  sizeBytes,
}: Omit<MessageFile, 'header' | 'version'>): Promise<MessageFile | Rejection | undefined> {
  try {
    const { head } = await readHead(file, HEAD_BYTES);
    const ern = recognizeErn(head);
    if (ern === undefined) {
      return undefined;
    }
    if (ern.problem !== null) {
      return fileRejection(path, `the file ${ern.problem}`);
    }
    const header = await readHeader(readBytes(file));
    return header === undefined
      ? fileRejection(path, 'the message has no MessageHeader')
      : { path, file, sizeBytes, header, version: ern.version };
  } catch (error) {
    return unreadableRejection(path, error);
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

const MESSAGES = ['NewReleaseMessage', 'PurgeReleaseMessage'];
const MESSAGE_TAG = new RegExp(`<(?:[\\w.-]{1,100}:)?(?:${MESSAGES.join('|')})\\b`);
/** In the form of the namespaces of DDEX: `43` is ERN 4.3, and `382` ERN 3.8.2. */
const READ = /^(3[78]|4[123])\d?$/;

/**
 * Recognizes a message of DDEX ERN by the first bytes of a file. Returns undefined if it is none, or otherwise `problem`:
 * a sentence if Stave does not read its version.
 */
function recognizeErn(
  head: Uint8Array,
): { version: string; problem: null } | { problem: string } | undefined {
  const root = rootOf(Buffer.from(head).toString('latin1'));
  if (root === undefined || !MESSAGES.includes(root.name)) {
    return undefined;
  }
  const version = versionOf(root.tag);
  if (version === undefined) {
    return { problem: `is a ${root.name} that names no version of DDEX ERN` };
  }
  return READ.test(version)
    ? { version: [...version].join('.'), problem: null }
    : {
        problem: `is in DDEX ERN ${[...version].join('.')}; only 3.7, 3.8, 4.1, 4.2 and 4.3 are read`,
      };
}

/** What may precede the first element. */
const PROLOG = /^[^<]*(?:(?:<\?.*?\?>|<!--.*?-->)[^<]*)*/s;

/** Returns the first element: its name, and its whole tag, or as much of it as there is. */
function rootOf(text: string): { name: string; tag: string } | undefined {
  const { length } = PROLOG.exec(text)![0];
  // The parser refuses a document type declaration. Without its message, the file would be passed over.
  const isDeclared = text.startsWith('<!DOCTYPE', length);
  const at = isDeclared ? Math.max(length, text.search(MESSAGE_TAG)) : length;
  const tag = text.slice(at, (text.indexOf('>', at) + 1 || text.length + 1) - 1);
  const name = /^<(?:[\w.-]{1,100}:)?([\w.-]{1,100})/.exec(tag)?.[1];
  return name === undefined ? undefined : { name, tag };
}

/**
 * Namespaces since ERN 3.3 end with the version alone; earlier ones have `2010/ern-main/32`. The letter of a draft
 * follows the version: `37D2`.
 */
function versionOf(tag: string): string | undefined {
  return (
    /["']http:\/\/ddex\.net\/xml\/(?:\d{4}\/)?ern(?:-main)?\/(\d{1,4})(?:D\d{1,3})?["']/.exec(
      tag,
    )?.[1] ??
    /MessageSchemaVersionId\s*=\s*["'][^"']{0,40}?(\d{1,4})(?:D\d{1,3})?["']/.exec(tag)?.[1]
  );
}
