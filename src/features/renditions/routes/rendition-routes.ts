import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { SignedMedia } from '../../media/routes/signed-media.ts';
import type { RenditionQueue } from '../rendition-queue.ts';
import { AwaitedRenditions } from './awaited-renditions.ts';
import { previewRoute } from './preview-route.ts';
import { waveformRoute } from './waveform-route.ts';

/** Returns the operations on previews and waveforms (docs/contract/previews.md). */
export function renditionRoutes(
  signed: SignedMedia,
  {
    renditions,
    openCounts,
  }: { renditions: Pick<RenditionQueue, 'find' | 'ensure'>; openCounts: OpenCounts },
): Route[] {
  const awaited = new AwaitedRenditions({ renditions, open: openCounts, signed });
  return [previewRoute(signed, awaited), waveformRoute(signed, awaited)];
}
