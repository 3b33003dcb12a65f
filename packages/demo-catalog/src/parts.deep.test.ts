import { describe, expect, it } from 'vitest';
import type { StereoSound } from './synth/sound.ts';
import { type CatalogTrack, TRACKS } from './tracks.ts';

const track = (name: string) => TRACKS.find((one) => one.name === name)!;

function partsOf({ parts, render, renderParts }: CatalogTrack): Map<string, StereoSound> {
  const sounds = renderParts(render());
  expect(sounds).toHaveLength(parts.length);
  return new Map(parts.map(({ kind }, i) => [kind, sounds[i]!]));
}

/** How alike two sounds are, whatever their levels: 1 if they are equal, and 0 if they have nothing in common. */
function likeness(one: Float32Array, other: Float32Array): number {
  let [both, first, second] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    both += one[i]! * other[i]!;
    first += one[i]! ** 2;
    second += other[i]! ** 2;
  }
  return both / Math.sqrt(first * second);
}

describe('the parts of a track', () => {
  it('are stems that together are the mix, and different from each other', () => {
    const cassette = track('Rooftop Cassette');
    const parts = partsOf(cassette);
    parts.delete('cutdown');
    expect([...parts.keys()]).toEqual(['keys', 'bass', 'melody', 'synth', 'drums']);
    const mix = cassette.render();
    const stems = [...parts.values()];
    const sum = mix.left.map((_, i) => stems.reduce((total, { left }) => total + left[i]!, 0));
    expect(likeness(sum, mix.left)).toBeGreaterThan(0.98);
    for (const [i, { left }] of stems.entries()) {
      expect(left).toHaveLength(mix.left.length);
      expect(left.every((value) => Math.abs(value) < 0.84)).toBe(true);
      for (const other of stems.slice(i + 1)) {
        expect(Math.abs(likeness(left, other.left))).toBeLessThan(0.5);
      }
    }
  });

  it('are a cutdown, which begins as the mix does and fades out', () => {
    for (const name of ['Rooftop Cassette', 'Night Bus Home']) {
      const { left } = partsOf(track(name)).get('cutdown')!;
      const mix = track(name).render();
      expect(left.length).toBeLessThan(mix.left.length / 2);
      const half = left.length >> 1;
      expect(left.subarray(0, half)).toEqual(mix.left.subarray(0, half));
      expect(Math.abs(left.at(-1)!)).toBeLessThan(0.001);
    }
  });

  it('are a version without the voices', () => {
    const home = track('Night Bus Home');
    const { left } = partsOf(home).get('instrumental')!;
    expect(left).toHaveLength(home.render().left.length);
    expect(likeness(left, home.render().left)).toBeLessThan(0.9);
  });

  it('are those of two tracks', () => {
    expect(TRACKS.filter(({ parts }) => parts.length > 0)).toHaveLength(2);
  });
});
