import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import type { MediaStore } from '../../src/engines/blobs/media-store.ts';
import { S3MediaStore } from '../../src/engines/blobs/s3/media-store.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';

export let s3: S3Server | undefined;

export let bucket: string;

/** Starts an S3 server before the tests of a file, if there is one, and removes the folders of each test. */
export function provideMediaStores(): void {
  beforeAll(async () => {
    if (hasS3Server) {
      s3 = await startS3Server();
      bucket = await s3.createBucket();
      Object.assign(process.env, s3.environment);
    }
  });
  afterAll(() => s3?.close());
  afterEach(async () => {
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });
}

export function openInBucket(prefix: string): MediaStore {
  return new S3MediaStore({ bucket, prefix, clock: systemClock, log: silentLog });
}

const folders: string[] = [];

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  folders.push(folder);
  return folder;
}

export async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

export async function allKeys(store: MediaStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys()) keys.push(key);
  return keys;
}

export function keyOf(bytes: Uint8Array, extension: string): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
}
