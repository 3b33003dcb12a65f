import { view } from '../browse/location.ts';
import { CodePanel } from '../code/code-panel.tsx';
import { DropTarget } from '../example/drop-target.tsx';
import { PlayerBar } from '../player/player-bar.tsx';
import { TrackPanel } from '../track/track-panel.tsx';
import { Announcement } from './announcement.tsx';
import { Header } from './header.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { LogPanel } from './log-panel.tsx';
import { Main } from './main-view.tsx';
import { session } from './session.ts';
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
  const { panel, track } = view.value;
  if (panel === 'log') return <LogPanel />;
  if (panel === 'code') return <CodePanel />;
  return track === undefined ? null : <TrackPanel key={track} slug={track} />;
}
