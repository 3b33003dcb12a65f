import type { InstrumentName } from '../synth/instruments.ts';

/** The stem that each instrument belongs to. */
const KINDS: Readonly<Record<InstrumentName, string>> = {
  piano: 'keys',
  'electric piano': 'keys',
  'music box': 'melody',
  vibraphone: 'melody',
  marimba: 'melody',
  bell: 'melody',
  guitar: 'guitar',
  harp: 'strings',
  'upright bass': 'bass',
  organ: 'keys',
  flute: 'woodwind',
  pad: 'synth',
  strings: 'strings',
  brass: 'brass',
  choir: 'backing_vocals',
  voice: 'vocals',
  'synth bass': 'bass',
  'soft bass': 'bass',
  'sub bass': 'bass',
  lead: 'synth',
  'square lead': 'melody',
  'pulse lead': 'melody',
  'chip bass': 'bass',
  stab: 'synth',
};

/** Returns the kind of the stem of an instrument. Drums are a stem of their own. */
export function stemKindOf(instrument: InstrumentName): string {
  return KINDS[instrument];
}
