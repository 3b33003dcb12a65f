import { render } from 'preact';
import { stylesLoaded } from '../explorer/shell/styles.ts';
import { open } from './collection.ts';
import { connectKeys } from './keys.ts';
import { Page } from './page.tsx';
import { audio } from './player.ts';
import { startLanguage } from './texts/texts.ts';

document.body.append(audio);
connectKeys();
void Promise.all([stylesLoaded(), startLanguage(), open()]).then(() => {
  const app = document.getElementById('app')!;
  app.replaceChildren();
  render(<Page />, app);
});
