import { useSignal } from '@preact/signals';
import { collection, items, loadMore, open, state, waitSeconds } from './collection.ts';
import { HelpDialog, NameDialog } from './dialogs.tsx';
import { Header } from './header.tsx';
import { Lock } from './lock.tsx';
import { Notice } from './notice.tsx';
import { PlayerBar } from './player-bar.tsx';
import { Row } from './row.tsx';
import { t } from './texts/texts.ts';
import { ToastBar, toast } from './toast.tsx';

export function Page() {
  return (
    <>
      <main>{state.value === 'shown' ? <Collection /> : <Instead />}</main>
      <ToastBar />
      {state.value === 'shown' && <PlayerBar />}
      <HelpDialog />
      <NameDialog />
    </>
  );
}

function Instead() {
  switch (state.value) {
    case 'locked':
      return <Lock />;
    case 'ended':
      return (
        <Notice title={t('endedTitle')}>
          <p role="alert">{t('ended')}</p>
        </Notice>
      );
    case 'waiting':
      return (
        <Notice title={t('waitTitle')}>
          <p>{t('wait', { n: waitSeconds.value })}</p>
          <button type="button" onClick={open}>
            {t('again')}
          </button>
        </Notice>
      );
    case 'offline':
    case 'busy':
      return (
        <Notice title={t('failedTitle')}>
          <p role="alert">{t(state.value)}</p>
          <button type="button" class="primary" onClick={open}>
            {t('again')}
          </button>
        </Notice>
      );
    default:
      return <p class="notice">{t('loading')}</p>;
  }
}

function Collection() {
  const { totalRecords } = collection.value!;
  return (
    <>
      <Header />
      {totalRecords === 0 && <p>{t('empty')}</p>}
      {items.value.length > 0 && (
        <ol class="rows" aria-label={t('tracks')}>
          {items.value.map((item) => (
            <Row key={item.track.id} item={item} />
          ))}
        </ol>
      )}
      <More count={totalRecords - items.value.length} />
    </>
  );
}

function More({ count }: { count: number }) {
  const isLoading = useSignal(false);
  if (count <= 0) return null;
  const load = async () => {
    isLoading.value = true;
    const next = items.value.length;
    try {
      await loadMore();
      requestAnimationFrame(() => document.querySelectorAll<HTMLElement>('.row')[next]?.focus());
    } catch {
      toast.value = {
        text: t('busy'),
        isProblem: true,
        action: { label: t('again'), act: () => void load() },
      };
    } finally {
      isLoading.value = false;
    }
  };
  return (
    <button type="button" class="load-more" disabled={isLoading.value} onClick={load}>
      {isLoading.value ? t('loading') : t('more', { n: count })}
    </button>
  );
}
