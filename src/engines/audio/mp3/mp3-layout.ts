/**
 * The layout of an MP3 file of constant bit rate (MPEG-1 layer III, two channels): an Info frame, and frames whose lengths
 * follow from their numbers. All of it follows from the number of samples, so it is known before the audio is encoded.
 */

/** In kbit/s. */
export const MP3_KBPS = [64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
export type Mp3Kbps = (typeof MP3_KBPS)[number];

const FRAME_SAMPLES = 1152;
/** The samples that LAME encodes before those of the audio, and the fewest that it encodes after them. */
const ENCODER_DELAY = 576;
const LEAST_PADDING = 576;

/** Returns 48 kHz for its family, and 44.1 kHz for all other sample rates. */
export function mp3Rate(sampleRate: number): 44_100 | 48_000 {
  return sampleRate % 8000 === 0 ? 48_000 : 44_100;
}

/** The samples of the MP3, without what its encoder adds. */
export function mp3Samples(samples: number, sampleRate: number): number {
  return Math.round((samples * mp3Rate(sampleRate)) / sampleRate);
}

/**
 * Returns the length of the MP3 of audio, in bytes.
 *
 * @param samples of each channel
 * @param sampleRate of the audio, which the MP3 may not have
 */
export function mp3Bytes(samples: number, sampleRate: number, kbps: Mp3Kbps): number {
  const rate = mp3Rate(sampleRate);
  return infoFrameBytes(kbps, rate) + framesBytes(mp3Samples(samples, sampleRate), kbps, rate);
}

function frameCount(samples: number): number {
  return Math.ceil((ENCODER_DELAY + samples + LEAST_PADDING) / FRAME_SAMPLES);
}

/**
 * LAME makes a frame one byte longer than its whole part whenever the sum of the fractions would fall behind, and never
 * the first one.
 */
function framesBytes(samples: number, kbps: number, rate: number): number {
  const count = frameCount(samples);
  const fraction = ((FRAME_SAMPLES / 8) * 1000 * kbps) % rate;
  return count * frameBytes(kbps, rate) + Math.ceil(((count - 1) * fraction) / rate);
}

/** The length of a frame without padding. */
function frameBytes(kbps: number, rate: number): number {
  return Math.floor(((FRAME_SAMPLES / 8) * 1000 * kbps) / rate);
}

/** The codes of the bit rates of layer III (ISO 11172-3 §2.4.2.3) are their places in this list. */
const RATES_BY_CODE = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
/** A frame of 64 kbit/s at 48 kHz is too short for what the Info frame says. */
const LEAST_INFO_KBPS = 80;

function infoFrameBytes(kbps: number, rate: number): number {
  return frameBytes(Math.max(kbps, LEAST_INFO_KBPS), rate);
}

/** Offsets in the Info frame of two channels: the header and the side information are before it. */
const INFO = 4 + 32;
const LAME = INFO + 120;
const TAG_CRC = LAME + 34;
/** The Info frame has a number of frames, a number of bytes, a table of contents, and a quality. */
const ALL_MEMBERS = 0xf;
const CBR = 1;

/**
 * Makes the first frame, which players do not play. It says how many samples the encoder has added at both ends, so that
 * players skip them (gabriel.mp3-tech.org/mp3infotag.html). The checksum of the audio is 0: it is not known before.
 *
 * @param samples of the MP3, without what its encoder adds
 */
export function infoFrame(samples: number, kbps: Mp3Kbps, rate: 44_100 | 48_000): Buffer {
  const infoKbps = Math.max(kbps, LEAST_INFO_KBPS);
  const frame = Buffer.alloc(infoFrameBytes(kbps, rate));
  const count = frameCount(samples);
  const bytes = frame.length + framesBytes(samples, kbps, rate);
  // MPEG-1 layer III without a checksum, joint stereo, original.
  frame.set([0xff, 0xfb, (RATES_BY_CODE.indexOf(infoKbps) << 4) | (rate === 48_000 ? 4 : 0), 0x44]);
  frame.write('Info', INFO, 'latin1');
  frame.writeUInt32BE(ALL_MEMBERS, INFO + 4);
  frame.writeUInt32BE(count, INFO + 8);
  frame.writeUInt32BE(Math.min(bytes, 0xffff_ffff), INFO + 12);
  // For each hundredth of the time, the part of the file before it, of 256.
  for (let i = 0; i < 100; i++) frame[INFO + 16 + i] = Math.floor((i * 256) / 100);
  frame.write('LAME3.100', LAME, 'latin1');
  frame[LAME + 9] = CBR;
  frame[LAME + 20] = Math.min(kbps, 255);
  const padding = count * FRAME_SAMPLES - ENCODER_DELAY - samples;
  frame.writeUIntBE((ENCODER_DELAY << 12) | padding, LAME + 21, 3);
  frame.writeUInt32BE(Math.min(bytes, 0xffff_ffff), LAME + 28);
  frame.writeUInt16BE(crc16(frame.subarray(0, TAG_CRC)), TAG_CRC);
  return frame;
}

/** CRC-16/ARC. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >> 1 : (crc >> 1) ^ 0xa001;
  }
  return crc;
}
