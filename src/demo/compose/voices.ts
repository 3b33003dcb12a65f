import type { Style } from './compose.ts';

/**
 * The style with singers: the tune goes to a voice, or, where one sings already, the style is left
 * as it is; and a choir holds the chords behind it.
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
          // A voice lies lower than the instrument it stands in for.
          role: { ...part.role, centre: part.role.centre - 2, density: 'even' as const },
        }
      : part,
  );
  return {
    ...style,
    parts: [
      ...sung,
      {
        instrument: 'choir',
        role: { does: 'hold', centre: 62 },
        gain: 0.16,
        wide: true,
        reverb: 0.5,
        enters: 4,
      },
    ],
  };
}
