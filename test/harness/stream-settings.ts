import type { StreamSettings } from '../../src/app/stream-policy.ts';

/** Settings with which streams are the delivered files. */
export const ORIGINAL_STREAMS: StreamSettings = {
  ...{ streams: 'original', streamKbps: 192, previewThreads: 0, database: null },
  ffmpeg: { setting: 'off', searchPath: '' },
};
