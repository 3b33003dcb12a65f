import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Returns the path in the setting, which may also be `off`, or else the first executable `ffmpeg` in the folders of
 * `searchPath` (the form of PATH). Undefined if Stave must work without ffmpeg.
 */
export async function findFfmpeg(
  setting: string | null,
  searchPath: string,
): Promise<string | undefined> {
  if (setting !== null) return setting === 'off' ? undefined : setting;
  // An empty part means the current folder, which must not decide what is executed.
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const path = join(folder, 'ffmpeg');
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** As `findFfmpeg`. Undefined also if the path in the setting cannot be executed. */
export async function findUsableFfmpeg(
  ...place: Parameters<typeof findFfmpeg>
): Promise<string | undefined> {
  const path = await findFfmpeg(...place);
  return path !== undefined && (await isExecutable(path)) ? path : undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
