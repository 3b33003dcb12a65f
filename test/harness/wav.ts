const SAMPLE_RATE = 8_000;
const HEADER_BYTES = 44;

/** A WAV file with that many samples of a quiet tone: 8 kHz, mono, 16 bits per sample. One second by default. */
export function wav(samples = SAMPLE_RATE): Buffer {
  const dataBytes = samples * 2;
  const file = Buffer.alloc(HEADER_BYTES + dataBytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(SAMPLE_RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(dataBytes, 40);
  for (let i = 0; i < samples; i++) {
    file.writeInt16LE(Math.round(3_000 * Math.sin(i / 7)), HEADER_BYTES + i * 2);
  }
  return file;
}
