import fc from 'fast-check';
import { expect, it } from 'vitest';
import { datToJson, datToJsonBytes, waveformDat, waveformJson } from './rendition-files.ts';

/** Bytes in chunks that end at random places. */
async function* inChunks(bytes: Uint8Array, ends: readonly number[]): AsyncGenerator<Buffer> {
  const places = [...ends.map((end) => end % (bytes.length + 1)), bytes.length];
  let from = 0;
  for (const to of places.sort((a, b) => a - b)) {
    yield Buffer.from(bytes.subarray(from, to));
    from = to;
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString('latin1');
  return text;
}

const waveforms = fc.record({
  sampleRate: fc.integer({ min: 1, max: 384_000 }),
  samplesPerPixel: fc.constantFrom(512, 1024, 2 ** 20),
  data: fc
    .array(fc.tuple(fc.integer({ min: -128, max: 127 }), fc.integer({ min: -128, max: 127 })), {
      maxLength: 50,
    })
    .map((bins) => Int8Array.from(bins.flat())),
});

it('converts a .dat file into the same JSON as the waveform, in chunks of any length', () =>
  fc.assert(
    fc.asyncProperty(waveforms, fc.array(fc.nat()), async (waveform, ends) => {
      const dat = waveformDat(waveform);
      const json = Buffer.from(waveformJson(waveform));
      expect(await textOf(datToJson(inChunks(dat, ends)))).toBe(json.toString());
      expect(await datToJsonBytes(inChunks(dat, ends))).toBe(json.length);
    }),
  ));

it('rejects a file that ends within its header', async () => {
  const file = () => inChunks(Buffer.alloc(23), []);
  await expect(textOf(datToJson(file()))).rejects.toThrow('shorter than its header');
  await expect(datToJsonBytes(file())).rejects.toThrow('shorter than its header');
});
