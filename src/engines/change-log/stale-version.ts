import { StaveError } from '../../common/errors.ts';
import type { Change } from './change-log.ts';

/** A write was refused, because whoever makes it has not read the present version of what it changes. */
export class StaleVersion extends StaveError {
  /** What was changed meanwhile; undefined if the write does not say which version was read. */
  readonly changed: Pick<Change, 'entity' | 'entityId'> | undefined;

  constructor(message: string, changed?: StaleVersion['changed']) {
    super('conflict', message);
    this.changed = changed;
  }
}
