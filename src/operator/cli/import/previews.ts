import { counted } from '../../../common/text/shown.ts';
import { renditionsOf } from '../../../features/renditions/rendition.ts';
import { findTrack } from '../../../features/takedown/find-tracks.ts';
import { command, group } from '../shell.ts';
import { listOf } from '../terminal/table.ts';
import { buildCommand } from './audio-build.ts';

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
    buildCommand(shell, {
      summary: 'Make the waveforms and clips of all tracks that lack them',
      description:
        'Makes what is queued or missing, in this process, beside a service or without one, whether or not a client has ' +
        'the feature. Files that only ffmpeg decodes are left to a node that has it. Exits with 1 if it is stopped, or ' +
        'if audio cannot be read; run it again to continue.',
      examples: [
        ['stave previews build --threads 4', 'before the feature is switched on'],
        ['stave previews build --all', 'after a fault of the media store'],
      ],
      all: 'also make what failed, and what is missing from the media store',
      result: ({ made, failed }) => `made ${counted(made, 'file')}, ${failed} failed`,
      build: async (context, options) => {
        const { buildRenditions } = await import(
          '../../../features/renditions/work/build-renditions.ts'
        );
        return buildRenditions(context, options);
      },
      queuedFormats: ({ store }) => store.renditions.queuedFormats(),
    }),
  (shell) =>
    command(shell, 'retry', 'Queue the waveforms and clips that failed', {
      description:
        'Also ends the pauses of those whose audio could not be read, and forgets failed conversions for streams and ' +
        'licensed files, so that the next request repeats them.',
      examples: [['stave previews retry', 'after ffmpeg was installed, or damaged audio replaced']],
    }).prints(
      async ({ store }) => {
        // Audio that could not be read may be there again.
        await store.renditions.endPauses();
        return {
          queued: await store.renditions.requeueFailed(),
          forgotten: await store.streams.forgetFailed(),
        };
      },
      ({ queued, forgotten }) =>
        `queued ${counted(queued, 'file')}, and forgot ${counted(forgotten, 'conversion')} that failed`,
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
