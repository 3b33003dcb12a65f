import { expect, it } from 'vitest';
import { MediaNotes } from './media-notes.ts';

it('counts the formats that files name, and no more than twenty of them apart', () => {
  const notes = new MediaNotes();
  for (let i = 0; i < 50; i++)
    notes.countRarelyPlayed(`${'x'.repeat(38)}${10 + i}${'y'.repeat(999)}`);
  notes.countRarelyPlayed('ALAC');
  const [line] = notes.lines();
  const listed = line!.split(': ')[1]!.split(', ');
  expect(line).toMatch(/^51 audio files are in formats that some browsers do not play: /);
  expect([listed.length, listed[0], listed[1]]).toEqual([21, 'others 31', `${'x'.repeat(38)}10 1`]);
});

it('keeps the names of formats as they are', () => {
  const notes = new MediaNotes();
  for (const format of ['ALAC', 'Vorbis', 'ALAC']) notes.countRarelyPlayed(format);
  expect(notes.lines()).toEqual([
    '3 audio files are in formats that some browsers do not play: ALAC 2, Vorbis 1',
  ]);
});

it('says what is streamed instead of formats that some browsers do not play', () => {
  const notes = new MediaNotes();
  for (const format of ['AIFF', 'AIFF']) notes.countRarelyPlayed(format, 'made');
  notes.countRarelyPlayed('ALAC', 'missing');
  expect(notes.lines()).toEqual([
    '2 audio files are in formats that some browsers do not play, streamed as MP3s that Stave makes: AIFF 2',
    '1 audio file is in a format that some browsers do not play, streamed as delivered because nothing here makes MP3s of them: ALAC 1',
  ]);
});
