import { counted } from '../../../common/text/shown.ts';
import { renditionsOf } from '../../../features/renditions/rendition.ts';
import { findTrack } from '../../../features/takedown/find-tracks.ts';
import { command, group, outputOf, withContext } from '../shell.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { listOf } from '../terminal/table.ts';

const MAX_THREADS = 64;

export const previewsCommand = group('previews', 'Make and show waveforms and preview clips', [
  (shell) =>
    command(
      shell,
      'status',
      'Count waveforms and clips by state, and list the nodes that make them',
      {
        hasTable: true,
        description:
          'A track has a clip and a waveform in two formats. Equal audio has them once. A node is listed until a minute ' +
          'after it was seen last.',
        examples: [['stave previews status', 'what waits, and what failed']],
      },
    ).prints(
      async ({ store }) => {
        const { queued, running, done, failed } = await store.renditions.counts();
        return { queued, running, done, failed, nodes: await store.renditions.nodes() };
      },
      ({ queued, running, done, failed, nodes }) => {
        const counts = `${queued} queued, ${running} running, ${done} done, ${failed} failed`;
        const list = listOf(nodes, 'no node makes them now', {
          NODE: 'node',
          DECODES: ({ formats }) => formats.join(', '),
        });
        return `${counts}\n${list}`;
      },
    ),
  (shell) =>
    command(shell, 'build', 'Make the waveforms and clips of all tracks that lack them', {
      description:
        'Makes what is queued or missing, in this process, beside a service or without one, whether or not a client has ' +
        'the feature. Files that only ffmpeg decodes are left to a node that has it. Exits with 1 if it is stopped, or ' +
        'if audio cannot be read; run it again to continue.',
      examples: [
        ['stave previews build --threads 4', 'before the feature is switched on'],
        ['stave previews build --all', 'after a fault of the media store'],
      ],
    })
      .option('--all', 'also make what failed, and what is missing from the media store')
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
        const { made, failed, unread, left } = await withContext(shell, async (context) => {
          const { buildRenditions } = await import(
            '../../../features/renditions/work/build-renditions.ts'
          );
          const built = await buildRenditions(context, {
            threads: options.threads ?? Math.max(1, context.config.previewThreads),
            all: options.all === true,
            signal: stop.signal,
            onProgress: ({ made, failed, total }) =>
              bar.show({
                bytesRead: made + failed,
                bytesTotal: total,
                records: made,
                unit: 'file',
              }),
          });
          const queued = await context.store.renditions.queuedFormats();
          return { ...built, left: queued.filter((format) => !built.formats.includes(format)) };
        }).finally(() => {
          bar.clear();
          unlisten();
        });
        output.result({ made, failed }, () => `made ${counted(made, 'file')}, ${failed} failed`);
        if (stop.signal.aborted || unread > 0) shell.exitCode = 1;
        if (stop.signal.aborted) return;
        if (unread > 0) {
          output.note(
            `${counted(unread, 'audio file')} could not be read to the end and ${unread === 1 ? 'stays' : 'stay'} queued; ` +
              '`stave doctor` names what is missing from the media store',
          );
        }
        if (left.length > 0) {
          output.note(`what is left needs a node that decodes ${left.join(', ')}`);
        }
      }),
  (shell) =>
    command(shell, 'retry', 'Queue the waveforms and clips that failed', {
      description: 'Also ends the pauses of those whose audio could not be read.',
      examples: [['stave previews retry', 'after ffmpeg was installed, or damaged audio replaced']],
    }).prints(
      async ({ store }) => {
        // Audio that could not be read may be there again.
        await store.renditions.endPauses();
        return { queued: await store.renditions.requeueFailed() };
      },
      ({ queued }) => `queued ${counted(queued, 'file')}`,
    ),
  (shell) =>
    command(shell, 'show', 'Show the waveforms and the clip of a track', {
      hasTable: true,
      description:
        'Lists nothing for a track that is not live, and not what was imported with the track.',
      examples: [['stave previews show night-drive', 'the state of each, and why it failed']],
    })
      .argument('<slug>', 'slug or id of the track')
      .prints(
        async ({ store }, slug: string) => {
          const { id } = (await findTrack(store, slug)).track;
          const [sound] = await store.renditions.soundsOf([id]);
          const names = sound === undefined ? [] : renditionsOf(sound);
          const all = await Promise.all(names.map((name) => store.renditions.find(name)));
          const renditions = all.flatMap((one) => {
            if (one === undefined) return [];
            const { kind, variant, state, attempts, error } = one;
            return { kind, variant, state, attempts, error };
          });
          return { trackId: id, renditions };
        },
        ({ renditions }) =>
          listOf(renditions, 'no waveforms and clips', {
            KIND: 'kind',
            START: 'variant',
            STATE: 'state',
            ATTEMPTS: 'attempts',
            ERROR: 'error',
          }),
      ),
]);
