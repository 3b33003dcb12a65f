import { counted } from '../../../common/text/shown.ts';
import { findTrack } from '../../../features/takedown/find-tracks.ts';
import { command, group } from '../shell.ts';
import { buildCommand } from './audio-build.ts';

export const soundCommand = group(
  'sound',
  'Analyze audio: tempo, key and similar tracks by sound',
  [
    (shell) =>
      command(shell, 'status', 'Count audio files by the state of their analysis', {
        description: 'Equal audio is analyzed once. `failed` are silent and damaged files.',
        examples: [['stave sound status', 'what waits, and what failed']],
      }).prints(
        async ({ store }) => {
          const { queued, running, failed } = await store.soundJobs.unmade();
          return { queued, running, analyzed: await store.sounds.count(), failed };
        },
        ({ queued, running, analyzed, failed }) =>
          `${queued} queued, ${running} running, ${analyzed} analyzed, ${failed} failed`,
      ),
    (shell) =>
      buildCommand(shell, {
        summary: 'Analyze the audio of all tracks that is not analyzed',
        description:
          'Analyzes what is queued or missing, in this process, beside a service or without one, whatever STAVE_ANALYSIS is. ' +
          'Files that only ffmpeg decodes are left to a node that has it. Exits with 1 if it is stopped, or if audio cannot ' +
          'be read; run it again to continue.',
        examples: [
          ['stave sound build --threads 4', 'after a large import'],
          ['stave sound build --all', 'after damaged audio was replaced'],
        ],
        all: 'also analyze what failed',
        result: ({ made, failed }) => `analyzed ${counted(made, 'file')}, ${failed} failed`,
        build: async (context, options) => {
          const { buildAnalyses } = await import('../../../features/sound/work/analysis.ts');
          return buildAnalyses(context, options);
        },
        queuedFormats: ({ store }) => store.soundJobs.queuedFormats(),
      }),
    (shell) =>
      command(shell, 'show', 'Show what the analysis found in the audio of a track', {
        description:
          'A confidence is 0 to 1. Without a result, shows whether the analysis is queued, or why it failed.',
        examples: [['stave sound show night-drive', 'its tempo, key and loudness']],
      })
        .argument('<slug>', 'slug or id of the track')
        .prints(
          async ({ store }, slug: string) => {
            const { track, audioKey } = await findTrack(store, slug);
            const found = audioKey === null ? undefined : await store.sounds.find(audioKey);
            const job = audioKey === null ? undefined : await store.sounds.job(audioKey);
            return {
              trackId: track.id,
              detected: track.detected,
              found: found ?? null,
              job: job ?? null,
            };
          },
          ({ found, job, detected }) => {
            if (found === null) {
              if (job === null) return 'not analyzed';
              return job.error === null ? job.state : `${job.state}: ${job.error}`;
            }
            const { tempo, key, loudness, energy, brightness, percussiveness } = found;
            return [
              `tempo           ${tempo ? `${tempo.bpm} bpm, confidence ${tempo.confidence}` : 'none'}`,
              `key             ${key ? `${key.name}, confidence ${key.confidence}` : 'none'}`,
              `loudness        ${loudness} LUFS`,
              `energy          ${energy}`,
              `brightness      ${brightness}`,
              `percussiveness  ${percussiveness}`,
              `fills           ${detected.join(', ') || 'nothing'}`,
            ].join('\n');
          },
        ),
  ],
);
