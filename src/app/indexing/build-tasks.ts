import type { CollectedTracks } from '../../engines/search/build/track-collector.ts';
import type { RowIdRange } from '../../engines/search/catalog-index.ts';
import { runStepsWithPauses } from '../../engines/search/query/steps.ts';
import {
  buildLaterSection,
  buildSection,
  type LaterInput,
  type LaterName,
  type LaterSections,
  type SectionContext,
  type SectionName,
  type Sections,
} from '../../engines/search/segments/segment-sections.ts';

/** A task of a build: to collect a range of tracks, or to build a section of the segment. */
export type BuildTask =
  | { kind: 'collect'; rows: RowIdRange }
  | {
      kind: 'section';
      name: SectionName;
      /** The task owns them, and frees their memory. */
      parts: readonly CollectedTracks[SectionName][];
      context: SectionContext;
    }
  | { kind: 'later'; name: LaterName; built: LaterInput; context: SectionContext };

/** The result of a task. */
export type TaskResult = CollectedTracks | Sections[SectionName] | LaterSections[LaterName];

/** Reads and collects the tracks of a range. */
export type Collect = (rows: RowIdRange) => Promise<CollectedTracks>;

/** Does a task, with pauses, so that a thread may receive messages meanwhile. */
export async function runTask(task: BuildTask, collect: Collect): Promise<TaskResult> {
  switch (task.kind) {
    case 'collect':
      return collect(task.rows);
    case 'section': {
      const { name, parts, context } = task;
      const section = await runStepsWithPauses(buildSection(name, parts as never, context));
      // Garbage collection would free them only much later.
      for (const buffer of buffersOf(parts)) buffer.transfer(0);
      return section;
    }
    case 'later':
      return runStepsWithPauses(buildLaterSection(task.name, task.built, task.context));
  }
}

/** The buffers of plain data that are not shared. They are passed on between threads instead of being copied. */
export function buffersOf(data: object): ArrayBuffer[] {
  if (ArrayBuffer.isView(data)) return data.buffer instanceof ArrayBuffer ? [data.buffer] : [];
  return Object.values(data)
    .filter((value) => typeof value === 'object')
    .flatMap(buffersOf);
}
