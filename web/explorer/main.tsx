import { render } from 'preact';
import { connectMediaSession } from './player/media-session.ts';
import { audio } from './player/player.ts';
import { App } from './shell/app.tsx';
import { connectFocus } from './shell/focus.ts';
import { connectShortcuts } from './shell/shortcuts.ts';
import { stylesLoaded } from './shell/styles.ts';
import { connectTitle } from './shell/title.ts';
import { startLanguage } from './texts/texts.ts';

// Outside of what Preact renders, so that it plays on whatever is shown.
document.body.append(audio);
connectMediaSession();
connectShortcuts();
connectTitle();
connectFocus();
void Promise.all([stylesLoaded(), startLanguage()]).then(() => {
  const app = document.getElementById('app')!;
  app.replaceChildren();
  render(<App />, app);
});
