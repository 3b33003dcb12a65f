import { CHANGE_KINDS, type ChangeEntity } from '../../src/engines/change-log/change-log.ts';

/** All entities whose changes are in the change log. */
export const CHANGE_ENTITIES = Object.keys(CHANGE_KINDS) as readonly ChangeEntity[];
