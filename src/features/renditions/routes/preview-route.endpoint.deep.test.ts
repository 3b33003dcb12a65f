import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { type Decoded, decodeByFfmpeg, FFMPEG } from '../../../../test/harness/ffmpeg.ts';
import { TRACKS, usePreviewServer } from '../../../../test/harness/preview-server.ts';
import { setPreviews } from '../../../../test/harness/track-previews.ts';

const { sounding, silent } = TRACKS;

function decoded(clip: Buffer): Decoded {
  const folder = mkdtempSync(join(tmpdir(), 'stave-clip-'));
  try {
    writeFileSync(join(folder, 'clip.mp3'), clip);
    return decodeByFfmpeg(join(folder, 'clip.mp3'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The greatest sample of a tenth of a second in the middle of a clip. */
function peak({ channels, sampleRate }: Decoded): number {
  const samples = channels[0]!;
  const from = Math.floor(samples.length / 2);
  return Math.max(...samples.subarray(from, from + sampleRate / 10));
}

describe('GET /media/preview/{id}', () => {
  const started = usePreviewServer();

  it.skipIf(FFMPEG === undefined)('sends 30 seconds as MP3, the loudest by default', async () => {
    const { show, get, whileMaking, server } = started();
    const { previewUrl } = await show(sounding);
    const loudest = await whileMaking(() => get(previewUrl!, 'streamPreview'));
    expect(loudest.status).toBe(200);
    const clip = decoded(loudest.body);
    expect(clip.channels).toHaveLength(2);
    const seconds = clip.channels[0]!.length / clip.sampleRate;
    expect(Math.abs(seconds - 30)).toBeLessThanOrEqual(0.06);

    // The tone rises steadily, so a clip that begins ten seconds earlier is quieter.
    await setPreviews(server, delivery(sounding).id, { previewStart: 0 });
    const begin = () => get(previewUrl!, 'streamPreview');
    const first = decoded((await whileMaking(begin, 0)).body);
    expect(peak(clip) - peak(first)).toBeGreaterThan(0.15);
  });

  it('sends the imported clip as it is, also of a track without audio', async () => {
    const { open, server } = started();
    const { key } = await server.operator.media.putBytes(Buffer.from('a clip'), 'mp3');
    for (const number of [sounding, silent]) {
      await setPreviews(server, delivery(number).id, { previewKey: key });
      const { status, headers, body } = await open(number, 'previewUrl');
      expect([status, headers['content-type']]).toEqual([200, 'audio/mpeg']);
      expect(body.toString()).toBe('a clip');
    }
  });
});
