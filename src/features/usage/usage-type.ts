/** The kinds of use. Storage numbers them by their places, so new ones go to the end. */
export const USAGE_TYPES = ['stream', 'download', 'sync'] as const;
export type UsageType = (typeof USAGE_TYPES)[number];
