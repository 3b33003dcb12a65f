import Type from 'typebox';
import { StaveError } from '../../../common/errors.ts';

/** The path parameter that names a track. */
export const trackParams = Type.Object({
  slug: Type.String({ description: 'Slug or id of a track.', examples: ['night-bus-home'] }),
});

/** The error for a slug or an id of no live track. */
export function unknownTrack(): StaveError {
  return new StaveError(
    'not_found',
    'There is no track of this slug or id; it may have been taken down.',
  );
}
