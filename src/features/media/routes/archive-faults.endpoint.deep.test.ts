import { rm, truncate } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { usePartsServer } from '../../../../test/harness/parts-server.ts';
import { recordingLog } from '../../../../test/harness/postgres-store.ts';
import type { DeliveredPart } from '../../catalog/track-parts.ts';

const SIZE = 50_000_000;

describe('streamArchive, if a file changes after the response has begun', () => {
  const log = recordingLog();
  const started = usePartsServer(log);
  beforeEach(() => {
    log.lines.length = 0;
  });

  /** Stores a file of zeros, and returns the part. */
  async function zeros(name: string): Promise<DeliveredPart> {
    const { media } = started().server.operator;
    const { key } = await media.putBytes(Buffer.from(name), 'wav');
    await truncate(media.localPath!(key), SIZE);
    return { kind: 'bass', name: null, durationSeconds: 1, audioKey: key, sizeBytes: SIZE };
  }

  it.each<[string, number, (path: string) => Promise<void>]>([
    ['is longer', 0, (path) => truncate(path, 4 * SIZE)],
    ['is longer by a byte', 1, (path) => truncate(path, SIZE + 1)],
    ['is shorter', 2, (path) => truncate(path, SIZE - 1)],
    ['is missing', 3, (path) => rm(path)],
  ])('ends the connection and logs it: the next file %s', async (name, number, change) => {
    const { server, show } = started();
    const stems = [await zeros(`${name} first`), await zeros(`${name} next`)];
    const track = delivery(20 + number, { stems });
    await server.deliver([track]);
    const { archiveUrl } = await show(track.id);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpGet(archiveUrl, { agent: false }, resolve).on('error', reject);
    });
    // The first file is larger than all buffers, so the next one is not open yet.
    await change(server.operator.media.localPath!(stems[1]!.audioKey));
    let length = 0;
    const reading = async () => {
      for await (const chunk of response) length += chunk.length;
    };
    await expect(reading()).rejects.toThrow('aborted');
    expect(length).toBeLessThan(Number(response.headers['content-length']));
    const errors = () => log.lines.filter((line) => line.startsWith('error'));
    await server.until(async () => errors().length > 0);
    expect(errors()).toHaveLength(1);
    const { slug } = (await server.operator.store.catalog.trackParts(track.id))!;
    expect(log.text()).toContain(`within ${slug}/stems/02-bass.wav, which cannot be read.`);
  });
});
