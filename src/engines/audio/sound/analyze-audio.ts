import { Mean } from '../analysis.ts';
import { type AudioBlock, RenditionProblem } from '../audio-block.ts';
import { Decimator } from './decimate.ts';
import { Frames } from './frames.ts';
import { KeyFinder } from './key.ts';
import { ABSOLUTE_GATE, LoudnessMeter } from './loudness.ts';
import { MelBands } from './mel-bands.ts';
import { Onsets } from './onsets.ts';
import type { SoundAnalysis } from './sound-analysis.ts';
import { findTempo } from './tempo.ts';
import { COEFFICIENTS, cepstrum, Statistics, shapeOf } from './timbre.ts';
import { quantized } from './vector.ts';

/** Samples of a frame for onsets and timbre, and for pitches. */
const SHORT_FRAME = 1_024;
const LONG_FRAME = 8_192;
/** About so many frames begin each second. */
const SHORT_RATE = 100;
const LONG_RATE = 8;
/** Every frame gives an onset strength, and one of so many a timbre. */
const TIMBRE_EVERY = 2;
/** The onsets of the first minutes give the tempo, so that the memory is bounded. */
const TEMPO_SECONDS = 600;
/** The total power of bands below which a frame has no timbre. */
const SILENCE = 1e-7;

/** Up to about 300 Hz. */
const LOW_BANDS = 6;

function silent(): RenditionProblem {
  return new RenditionProblem('the audio is silent', 'silent');
}

/**
 * Analyzes audio, in about half a second of processor time a minute. Calls `onProgress` with the analyzed seconds after each
 * minute of audio. The memory grows by 100 bytes a second of audio. Throws a RenditionProblem
 * of the kind `silent`, and what `blocks` throws.
 */
export async function analyzeAudio(
  blocks: AsyncIterable<AudioBlock>,
  onProgress: (seconds: number) => void = () => {},
): Promise<SoundAnalysis> {
  let analyzer: SoundAnalyzer | undefined;
  let minutes = 0;
  for await (const block of blocks) {
    analyzer ??= new SoundAnalyzer(block.sampleRate);
    analyzer.add(block);
    if (Math.floor(analyzer.seconds / 60) > minutes) {
      minutes = Math.floor(analyzer.seconds / 60);
      onProgress(analyzer.seconds);
    }
  }
  if (analyzer === undefined) throw silent();
  return analyzer.finish();
}

class SoundAnalyzer {
  readonly #sampleRate: number;
  readonly #mean = new Mean();
  readonly #loudness: LoudnessMeter;
  readonly #decimator: Decimator;
  readonly #bands: MelBands;
  readonly #short: Frames;
  readonly #long: Frames;
  readonly #onsets = new Onsets();
  readonly #key = new KeyFinder();
  readonly #cepstra = new Statistics(COEFFICIENTS);
  readonly #shapes = new Statistics(2);
  readonly #chromas = new Statistics(12);
  readonly #onsetRate: number;
  readonly #strengths: Float32Array;
  #frames = 0;
  #onsetSum = 0;
  #samples = 0;
  /** The power of all frames, that which is more than in the frame before, and that of low bands. */
  #power = 0;
  #newPower = 0;
  #lowPower = 0;
  readonly #before: Float64Array;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
    this.#loudness = new LoudnessMeter(sampleRate);
    this.#decimator = new Decimator(sampleRate);
    const { rate } = this.#decimator;
    const hop = Math.max(1, Math.round(rate / SHORT_RATE));
    this.#onsetRate = rate / hop;
    this.#strengths = new Float32Array(Math.ceil(TEMPO_SECONDS * this.#onsetRate));
    this.#bands = new MelBands(rate, SHORT_FRAME / 2);
    this.#before = new Float64Array(this.#bands.powers.length);
    const width = rate / SHORT_FRAME;
    this.#short = new Frames(SHORT_FRAME, Math.min(hop, SHORT_FRAME), (spectrum) =>
      this.#addShort(spectrum, width),
    );
    this.#long = new Frames(
      LONG_FRAME,
      Math.min(LONG_FRAME, Math.round(rate / LONG_RATE)),
      (spectrum) => {
        if (this.#key.add(spectrum, rate)) this.#chromas.add(this.#key.chroma);
      },
    );
  }

  get seconds(): number {
    return this.#samples / this.#sampleRate;
  }

  add(block: AudioBlock): void {
    this.#samples += block.channels[0]!.length;
    this.#loudness.add(block);
    const samples = this.#decimator.next(this.#mean.of(block));
    this.#short.add(samples);
    this.#long.add(samples);
  }

  finish(): SoundAnalysis {
    // The last frames are padded with silence, so that short audio has some.
    this.#short.add(new Float64Array(SHORT_FRAME));
    this.#long.add(new Float64Array(LONG_FRAME));
    const loudness = this.#loudness.integrated();
    if (loudness <= ABSOLUTE_GATE) throw silent();
    const tempo = findTempo(
      this.#strengths.subarray(0, Math.min(this.#frames, this.#strengths.length)),
      this.#onsetRate,
    );
    const key = this.#key.find();
    const [octaves, flatness] = this.#shapes.means() as unknown as [number, number];
    const brightness = unit((octaves - 1) / 5);
    const percussiveness = unit((Math.log2((this.#newPower / this.#power) * 100) - 2) / 4);
    const loud = this.#loudness.loudPassages();
    const features = [
      ...this.#cepstra.means(),
      ...this.#cepstra.deviations(),
      ...this.#cepstra.deltas(),
      // From the tonic on, so that the same harmony resembles itself in another key.
      ...turned(this.#key.mean(), key?.tonic ?? 0),
      sum(this.#chromas.deviations()),
      sum(this.#chromas.deltas()),
      brightness,
      this.#shapes.deviations()[0]!,
      Math.log(flatness + 1e-6),
      percussiveness,
      Math.log(this.#lowPower / this.#power + 1e-4),
      loud - loudness,
      this.#onsetSum / this.#frames,
      tempo?.clarity ?? 0,
      tempo === undefined ? 0 : Math.log2(tempo.bpm / 100),
      loudness,
      Math.log(this.#shapes.deltas()[0]! + 1e-3),
    ];
    return {
      ...(tempo && { tempo: { bpm: rounded(tempo.bpm), confidence: rounded(tempo.confidence) } }),
      ...(key && { key: { name: key.name, confidence: rounded(key.confidence) } }),
      loudness: rounded(loudness),
      energy: rounded(unit((loud + 40) / 34)),
      brightness: rounded(brightness),
      percussiveness: rounded(percussiveness),
      vector: quantized(features),
    };
  }

  #addShort(spectrum: Float64Array, width: number): void {
    const bands = this.#bands.of(spectrum);
    const strength = this.#onsets.add(bands);
    if (this.#frames < this.#strengths.length) this.#strengths[this.#frames] = strength;
    this.#onsetSum += strength;
    this.#frames++;
    let power = 0;
    for (let i = 0; i < bands.length; i++) {
      power += bands[i]!;
      this.#newPower += Math.max(0, bands[i]! - this.#before[i]!);
      this.#before[i] = bands[i]!;
      if (i < LOW_BANDS) this.#lowPower += bands[i]!;
    }
    this.#power += power;
    if (power < SILENCE || this.#frames % TIMBRE_EVERY !== 0) return;
    this.#cepstra.add(cepstrum(bands));
    this.#shapes.add(shapeOf(spectrum, width));
  }
}

function sum(values: Float64Array): number {
  return values.reduce((one, other) => one + other, 0);
}

function turned(values: Float64Array, by: number): Float64Array {
  return values.map((_, i) => values[(i + by) % values.length]!);
}

function unit(value: number): number {
  return Math.max(0, Math.min(1, value));
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
