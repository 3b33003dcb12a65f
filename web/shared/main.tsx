import { render } from 'preact';
import { stylesLoaded } from '../explorer/shell/styles.ts';
import { loadMore } from './collection.ts';
import { connectKeys } from './keys.ts';
import { Page } from './page.tsx';
import { audio } from './player.ts';

document.body.append(audio);
connectKeys();
await Promise.all([stylesLoaded(), loadMore()]);
const app = document.getElementById('app')!;
app.replaceChildren();
render(<Page />, app);
