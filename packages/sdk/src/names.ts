/** The form of the slugs, ids and license numbers that requests contain, in any case, as a regular expression. */
export const NAME_PATTERN = '^[A-Za-z0-9-]+$';
