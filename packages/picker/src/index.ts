import { StavePicker } from './picker.ts';

// A page may load the script twice, or another version of it.
if (customElements.get('stave-picker') === undefined) {
  customElements.define('stave-picker', StavePicker);
}
