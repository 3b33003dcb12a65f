import type { AppContext } from '../../../app/open/context.ts';
import { counted } from '../../../common/text/shown.ts';
import type {
  BuildOptions,
  BuildResult,
} from '../../../features/renditions/work/build-renditions.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { progressBar } from '../terminal/progress-bar.ts';

const MAX_THREADS = 64;

/** Returns the command `build`, which does jobs on audio in this process. */
export function buildCommand(
  shell: Shell,
  texts: {
    summary: string;
    description: string;
    examples: [call: string, when: string][];
    /** What `--all` adds. */
    all: string;
    result(built: BuildResult): string;
    build(context: AppContext, options: BuildOptions): Promise<BuildResult>;
    queuedFormats(context: AppContext): Promise<string[]>;
  },
) {
  const { description, examples } = texts;
  return command(shell, 'build', texts.summary, { description, examples })
    .option('--all', texts.all)
    .option(
      '--threads <number>',
      'files at a time; default: STAVE_PREVIEW_THREADS, at least 1',
      wholeNumber(1, MAX_THREADS),
    )
    .action(async (options: { all?: boolean; threads?: number; json?: boolean }) => {
      const output = outputOf(shell, options);
      const bar = progressBar(output.terminal, shell.clock);
      const stop = new AbortController();
      const unlisten = shell.onStop(() => stop.abort());
      const { left, ...built } = await withContext(shell, async (context) => {
        const done = await texts.build(context, {
          threads: options.threads ?? Math.max(1, context.config.previewThreads),
          all: options.all === true,
          signal: stop.signal,
          onProgress: ({ made, failed, total }) =>
            bar.show({ bytesRead: made + failed, bytesTotal: total, records: made, unit: 'file' }),
        });
        const queued = await texts.queuedFormats(context);
        return { ...done, left: queued.filter((format) => !done.formats.includes(format)) };
      }).finally(() => {
        bar.clear();
        unlisten();
      });
      const { made, failed, unread } = built;
      output.result({ made, failed }, () => texts.result(built));
      if (stop.signal.aborted || unread > 0) shell.exitCode = 1;
      if (stop.signal.aborted) return;
      if (unread > 0) {
        output.note(
          `${counted(unread, 'audio file')} could not be read to the end and ${unread === 1 ? 'stays' : 'stay'} queued; ` +
            '`stave doctor` names what is missing from the media store',
        );
      }
      if (left.length > 0) output.note(`what is left needs a node that decodes ${left.join(', ')}`);
    });
}
