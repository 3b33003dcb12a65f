import { systemClock } from '../../../src/common/clock.ts';
import { openDiskMediaStore } from '../../../src/engines/blobs/disk/media-store.ts';
import { startRenditionNode } from '../rendition-node.ts';
import { adapterNamed } from '../store-adapters.ts';

/** The arguments of the program, as JSON. */
export interface RenditionNodeJob {
  adapter: string;
  location: string;
  media: string;
  ffmpeg?: string;
}

// A child process: a node that makes renditions until it is killed.
const { adapter, location, media, ffmpeg }: RenditionNodeJob = JSON.parse(process.argv[2]!);
const store = await adapterNamed(adapter).open(location, systemClock);
const mediaStore = await openDiskMediaStore({ folder: media });
await startRenditionNode(store, mediaStore, { node: 'child', ffmpeg });
// Timers of the node do not keep the process alive.
setInterval(() => {}, 60_000);
