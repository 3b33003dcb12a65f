export { type SnapshotLine, StaveClient } from './client.ts';
export {
  StaveApiError,
  StaveConnectionError,
  StaveError,
  StaveTimeoutError,
} from './errors.ts';
export type * from './generated/types.ts';
export { NAME_PATTERN } from './names.ts';
export type { Attempt, EndedAttempt, Hooks, RequestOptions, StaveOptions } from './options.ts';
export type { Page, PageResult } from './pages.ts';
export { type MediaElement, type PlayedTrack, playTrack, type StreamSigner } from './player.ts';
export type { Answer, ResponseInfo, Result } from './result.ts';
export { type SignedMessage, StaveSignatureError, verifyWebhook } from './webhooks.ts';
