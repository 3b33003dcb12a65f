import { view } from '../browse/location.ts';
import { BuyPanel, CartPanel } from '../buying/lazy.ts';
import { DropTarget } from '../example/drop-target.tsx';
import { PlayerBar } from '../player/player-bar.tsx';
import { adding } from '../track/adding.ts';
import { TrackPanel } from '../track/track-panel.tsx';
import { Announcement } from './announcement.tsx';
import { isHelpOpen } from './dialogs.ts';
import { Header } from './header.tsx';
import { lazily } from './lazily.tsx';
import { Main } from './main-view.tsx';
import { may, session } from './session.ts';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './sign-in.tsx';

const CodePanel = lazily(async () => (await import('../code/code-panel.tsx')).CodePanel);
const LogPanel = lazily(async () => (await import('./log-panel.tsx')).LogPanel);
const HelpDialog = lazily(async () => (await import('./help-dialog.tsx')).HelpDialog);
const AddDialog = lazily(async () => (await import('../track/add-dialog.tsx')).AddDialog);
const CollectionEditor = lazily(
  async () => (await import('../lists/collection-editor.tsx')).CollectionEditor,
);

const LinksPanel = lazily(async () => (await import('../lists/links-panel.tsx')).LinksPanel);

export function App() {
  if (session.value === undefined) return <SignIn />;
  return (
    <div class="app">
      <Header />
      <Sidebar />
      <Main />
      <Beside />
      <PlayerBar />
      {isHelpOpen.value && <HelpDialog />}
      {adding.value !== undefined && <AddDialog />}
      <DropTarget />
      <Announcement />
    </div>
  );
}

function Beside() {
  const { panel, track, shown } = view.value;
  if (panel === 'log') return <LogPanel />;
  if (panel === 'code') return <CodePanel />;
  if (panel === 'cart' && may('licensing')) return <CartPanel />;
  if (panel === 'buy' && may('licensing') && shown.list === 'collection') return <BuyPanel />;
  if (panel === 'edit' && shown.list === 'collection') {
    return <CollectionEditor key={shown.of} id={shown.of} />;
  }
  if (panel === 'links' && shown.list === 'collection') {
    return <LinksPanel key={shown.of} id={shown.of} />;
  }
  return track === undefined ? null : <TrackPanel key={track} slug={track} />;
}
