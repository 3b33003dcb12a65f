import { view } from '../browse/location.ts';
import { BuyPanel, CartPanel } from '../buying/lazy.ts';
import { CodePanel } from '../code/code-panel.tsx';
import { DropTarget } from '../example/drop-target.tsx';
import { PlayerBar } from '../player/player-bar.tsx';
import { TrackPanel } from '../track/track-panel.tsx';
import { Announcement } from './announcement.tsx';
import { Header } from './header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { LogPanel } from './log-panel.tsx';
import { Main } from './main-view.tsx';
import { may, session } from './session.ts';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  if (session.value === undefined) return <SignIn />;
  return (
    <div class="app">
      <Header />
      <Sidebar />
      <Main />
      <Beside />
      <PlayerBar />
      <HelpDialog />
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
  return track === undefined ? null : <TrackPanel key={track} slug={track} />;
}
