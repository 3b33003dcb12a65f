import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { StaveError } from '../../../common/errors.ts';
import { newId } from '../../../common/ids.ts';
import { shownBytes } from '../../../common/text/shown.ts';
import { type ConsoleRequest, FormRefused } from '../pages/page.ts';
import { isEqual } from './sessions.ts';

const MAX_FIELDS = 30;
const MAX_FIELD_BYTES = 64 * 1024;
/** In UTF-16 units, which have up to three bytes each: file systems allow 255 bytes. */
const MAX_NAME = 80;
const FILE_FIELDS: readonly string[] = ['file', 'map'];

/** The files of a form, in a folder of their own. */
export interface Upload {
  /** The paths of the files, by the names of their fields. Fields without a file are absent. */
  files: ReadonlyMap<string, string>;
  remove(): Promise<void>;
}

/**
 * Reads a form with files: its fields into `form`, the files into a new folder below `folder`. The first field must be
 * the token of the session: nothing is written before it was checked. Throws `payload_too_large`, `invalid_request` and
 * `unsupported_media_type`, and leaves nothing behind when it fails.
 */
export async function readUpload(
  { raw, session, form: fields }: ConsoleRequest,
  { folder, maxBytes }: { folder: string; maxBytes: number },
): Promise<Upload> {
  const form = parserOf(raw, maxBytes);
  const own = join(folder, newId());
  const remove = () => rm(own, { recursive: true, force: true });
  const files = new Map<string, string>();
  const writes: Promise<void>[] = [];
  const end = new AbortController();
  const { signal } = end;
  const fail = (error: Error) => end.abort(error);
  let isOurs = false;
  form.on('field', (name, value, _, isTruncated) => {
    if (isTruncated) fail(malformed('a field is too long'));
    if (name === 'csrf') isOurs = isEqual(value, session.csrf);
    else if (isOurs) fields.append(name, value);
  });
  form.on('file', (name, stream: Readable, fileName) => {
    // A form that ends within a file causes an error of its stream, too.
    stream.on('error', () => {});
    if (!isOurs) fail(new FormRefused());
    const isEmpty = fileName === undefined || fileName === '';
    if (!isEmpty && files.has(name)) fail(malformed(`it has two files in the field ${name}`));
    if (isEmpty || signal.aborted || !FILE_FIELDS.includes(name)) {
      stream.resume();
      return;
    }
    stream.once('limit', () => fail(tooLarge(maxBytes)));
    const path = join(own, name, safeName(fileName));
    files.set(name, path);
    const write = mkdir(dirname(path), { recursive: true, mode: 0o700 }).then(() =>
      pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal }),
    );
    writes.push(write);
    write.catch(fail);
  });
  for (const excess of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
    form.on(excess, () => fail(malformed('it has too many fields')));
  }
  try {
    await parse(raw, form, end);
    await Promise.all(writes);
    if (!isOurs) throw new FormRefused();
    return { files, remove };
  } catch (error) {
    fail(error as Error);
    await Promise.allSettled(writes);
    await remove();
    throw signal.reason;
  }
}

function malformed(why: string): StaveError {
  return new StaveError('invalid_request', `The form arrived malformed (${why}): send it again.`);
}

function tooLarge(maxBytes: number): StaveError {
  return new StaveError('payload_too_large', `The file has over ${shownBytes(maxBytes)}.`);
}

function parserOf({ headers }: IncomingMessage, maxBytes: number): InstanceType<typeof Busboy> {
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new StaveError(
      'unsupported_media_type',
      'A form with files must be sent as multipart/form-data.',
    );
  }
  const limits = {
    files: FILE_FIELDS.length + 1,
    fileSize: maxBytes,
    fields: MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    parts: FILE_FIELDS.length + MAX_FIELDS,
  };
  try {
    return new Busboy({ headers: { 'content-type': type }, limits });
  } catch {
    throw malformed('its type has no boundary');
  }
}

/** Reads the whole form. When this fails, the server reads a bounded part of the rest. */
async function parse(
  raw: IncomingMessage,
  form: InstanceType<typeof Busboy>,
  end: AbortController,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  end.signal.addEventListener('abort', () => reject(end.signal.reason));
  if (end.signal.aborted) reject(end.signal.reason);
  // It may emit several errors, and each needs a listener.
  form.on('error', () => end.abort(malformed('it is incomplete')));
  form.once('finish', resolve);
  raw.once('close', () => {
    if (!raw.complete) end.abort(malformed('it was interrupted'));
  });
  if (raw.destroyed) end.abort(malformed('it was interrupted'));
  raw.pipe(form);
  try {
    await promise;
  } catch (error) {
    raw.unpipe(form);
    raw.resume();
    throw error;
  }
}

/** Keeps the end of a name, because that tells the format. */
function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return (
    plain
      .replace(/^[.\s]+/, '')
      .slice(-MAX_NAME)
      .toWellFormed() || 'file'
  );
}
