import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * The path of ffmpeg by the setting: a path, which is returned as it is, or `off`. Without the setting, the
 * first `ffmpeg` that can be executed in the folders of `searchPath` (the form of PATH). Undefined if
 * renditions are to be made without ffmpeg.
 */
export async function findFfmpeg(
  setting: string | null,
  searchPath: string,
): Promise<string | undefined> {
  if (setting !== null) {
    return setting === 'off' ? undefined : setting;
  }
  // An empty part means the current folder, which must not decide what is executed.
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const path = join(folder, 'ffmpeg');
    if (await isExecutable(path)) {
      return path;
    }
  }
  return undefined;
}

/** Whether the file exists and may be executed. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
