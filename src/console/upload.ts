import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { StaveError } from '../common/errors.ts';
import { newId } from '../common/ids.ts';
import { shownBytes } from '../common/shown-bytes.ts';
import { FormRefused } from './forms.ts';
import type { ConsoleRequest } from './page.ts';
import { isEqual } from './sessions.ts';

/** The greatest sizes of an upload. */
const MAX_FILES = 2;
const MAX_FIELDS = 30;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_NAME = 100;

/** A form with files, which are in a folder of their own. */
export interface Upload {
  fields: URLSearchParams;
  /** The paths of the files, by the names of their fields. Fields without a file are absent. */
  files: ReadonlyMap<string, string>;
  /** Removes the files. */
  remove(): Promise<void>;
}

/**
 * Reads a form with files into a new folder below `folder`. The first field must be the token of the session: nothing is
 * written before it was checked. Throws `payload_too_large`, and leaves nothing behind when it fails.
 */
export async function readUpload(
  { raw, session }: ConsoleRequest,
  { folder, maxBytes }: { folder: string; maxBytes: number },
): Promise<Upload> {
  const own = join(folder, newId());
  const remove = () => rm(own, { recursive: true, force: true });
  const fields = new URLSearchParams();
  const files = new Map<string, string>();
  const writes: Promise<void>[] = [];
  let left = maxBytes;
  let isOurs = false;
  const form = new Busboy({
    headers: raw.headers as { 'content-type': string },
    limits: {
      files: MAX_FILES,
      fields: MAX_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
      parts: MAX_FILES + MAX_FIELDS,
    },
  });
  form.on('field', (name, value) => {
    if (name === 'csrf') isOurs = isEqual(value, session.csrf);
    else fields.append(name, value);
  });
  form.on('file', (name, stream, fileName) => {
    if (!isOurs) {
      form.destroy(new FormRefused());
      return;
    }
    if (fileName === undefined || fileName === '') {
      stream.resume();
      return;
    }
    const path = join(own, name === 'map' ? 'map' : 'file', safeName(fileName));
    files.set(name, path);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        left -= chunk.length;
        if (left >= 0) done(null, chunk);
        else
          done(new StaveError('payload_too_large', `The file has over ${shownBytes(maxBytes)}.`));
      },
    });
    const write = written(path, (target) => pipeline(stream, counted, target));
    writes.push(write);
    write.catch((error: Error) => form.destroy(error));
  });
  try {
    await parse(raw, form);
    await Promise.all(writes);
    if (!isOurs) throw new FormRefused();
    return { fields, files, remove };
  } catch (error) {
    form.destroy();
    await Promise.allSettled(writes);
    await remove();
    throw error;
  }
}

/** Resolves when the whole form was read. When it fails, reads the rest without keeping it, so that the response arrives. */
async function parse(raw: IncomingMessage, form: InstanceType<typeof Busboy>): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      form.once('finish', resolve).once('error', reject);
      raw.once('close', () => {
        if (!raw.complete) reject(new Error('the upload was interrupted'));
      });
      raw.pipe(form);
    });
  } catch (error) {
    raw.unpipe(form);
    raw.resume();
    throw error;
  }
}

async function written(
  path: string,
  write: (target: NodeJS.WritableStream) => Promise<void>,
): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await write(createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}

/** Keeps the end of a name, because that tells the format. */
function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return plain.replace(/^[.\s]+/, '').slice(-MAX_NAME) || 'file';
}
