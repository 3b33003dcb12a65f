import type { Style } from './compose.ts';

/**
 * Returns a style with singers: a voice sings the tune, unless one does already, and a choir holds
 * the chords.
 */
export function withVoices(style: Style): Style {
  if (style.parts.some(({ instrument }) => instrument === 'voice')) {
    return style;
  }
  const sung = style.parts.map((part) =>
    part.role.does === 'tune'
      ? {
          ...part,
          instrument: 'voice' as const,
          gain: 0.5,
          // A voice is lower than the instrument that it replaces.
          role: { ...part.role, center: part.role.center - 2, density: 'even' as const },
        }
      : part,
  );
  return {
    ...style,
    parts: [
      ...sung,
      {
        instrument: 'choir',
        role: { does: 'hold', center: 62 },
        gain: 0.16,
        wide: true,
        reverb: 0.5,
        enters: 4,
      },
    ],
  };
}
