import { FileProblem } from './file-problem.ts';
import type { HeaderProperties } from './properties.ts';
import type { ReadWaveform } from './read-previews.ts';
import type { ReadAudio } from './read-tags.ts';
import type { TagEncoding } from './tag-encodings.ts';

export interface ReadRequest {
  path: string;
  as: keyof ReadResults;
  tagEncoding?: TagEncoding | undefined;
}

export interface ReadResults {
  audio: ReadAudio;
  properties: HeaderProperties;
  /** The length of a preview clip in seconds. */
  clip: number;
  'waveform.dat': ReadWaveform;
  'waveform.json': ReadWaveform;
}

export type ReadResponse =
  | { result: ReadResults[keyof ReadResults] }
  /** `isReason`: the problem is the reason for a rejection. Otherwise it is the message of a parser. */
  | { problem: string; isReason: boolean };

/** Loaded on demand, because an import rarely needs more than one of them. */
async function read({
  path,
  as,
  tagEncoding,
}: ReadRequest): Promise<ReadResults[keyof ReadResults]> {
  switch (as) {
    case 'audio':
      return (await import('./read-tags.ts')).readTags(path, tagEncoding);
    case 'properties':
      return (await import('./read-tags.ts')).readProperties(path);
    case 'clip':
      return (await import('./read-previews.ts')).readClip(path);
    case 'waveform.dat':
    case 'waveform.json': {
      const { readWaveform } = await import('./read-previews.ts');
      return readWaveform(path, as === 'waveform.dat' ? 'dat' : 'json');
    }
  }
}

// The terminal sends Ctrl-C to this process, too. Only the reader ends it, so that an import ends its last batch.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The reader has ended without ending this process. An exit would wait for a read that never returns.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A separate process, so that the reader can end a parser that runs forever, and that one out of memory ends only itself.
process.on('message', async (request: ReadRequest) => {
  const respond = (response: ReadResponse) => process.send?.(response);
  try {
    respond({ result: await read(request) });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    respond({ problem, isReason: error instanceof FileProblem });
  }
});
