import { session } from '../shell/session.ts';

/** Says TEST where what is bought is no real license. */
export function TestMark() {
  return session.value?.me.mode === 'test' ? <span class="mode test">TEST</span> : null;
}
