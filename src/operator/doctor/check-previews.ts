import { access, constants } from 'node:fs/promises';
import type { AppContext } from '../../app/open/context.ts';
import { counted } from '../../common/text/counted.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Checks whether waveforms and preview clips are made, if a client has the feature. */
export async function checkPreviews({ config, store }: AppContext): Promise<Finding> {
  const clients = await store.clients.all();
  if (!clients.some(({ enabled, features }) => enabled && features.includes('previews'))) {
    return ok('previews', 'off: no client has the feature');
  }
  const { setting } = config.ffmpeg;
  if (setting !== null && setting !== 'off' && !(await isExecutable(setting))) {
    const advice = 'correct STAVE_FFMPEG, or remove it to use the ffmpeg of the PATH';
    return warning('previews', `${setting} cannot be executed`, advice);
  }
  const { queued, failed } = await store.renditions.unmade();
  const nodes = await store.renditions.nodes();
  if (queued > 0 && nodes.length === 0) {
    return warning(
      'previews',
      `${counted(queued, 'file')} queued, and no running node makes them`,
      'start a node with STAVE_PREVIEW_THREADS of 1 or more, or run `stave previews build`',
    );
  }
  const decoded = new Set(nodes.flatMap(({ formats }) => formats));
  const waiting = (await store.renditions.queuedFormats()).filter((one) => !decoded.has(one));
  if (waiting.length > 0) {
    return warning(
      'previews',
      `some queued files need what no running node has: ${waiting.join(', ')}`,
      'install ffmpeg on a node that makes previews, and restart it',
    );
  }
  if (failed > 0) {
    return warning(
      'previews',
      `${counted(failed, 'file')} failed`,
      '`stave previews show SLUG` gives the reason for a track; `stave previews retry` tries again',
    );
  }
  return ok(
    'previews',
    `${counted(nodes.length, 'node makes', 'nodes make')} them, ${queued} queued`,
  );
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
