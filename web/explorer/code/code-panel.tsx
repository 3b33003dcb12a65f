import { useSignal } from '@preact/signals';
import { go, view, withPanel } from '../browse/location.ts';
import { Icon } from '../shell/icon.tsx';
import { Panel } from '../shell/panel.tsx';
import { BASE_URL, chosenLanguage } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { callOf } from './call.ts';
import { curlOf, sdkOf } from './snippet.ts';

/** How a program requests what is on the page. */
export function CodePanel() {
  const call = callOf(view.value);
  const language = chosenLanguage();
  return (
    <Panel title={t('code')} close={() => go(withPanel(undefined))}>
      {call && (
        <>
          <Snippet title="curl" text={curlOf(call, BASE_URL, language)} />
          <p class="meta">
            <code>STAVE_TOKEN</code>: {t('tokenFirst')}{' '}
            <a href="docs/getting-started" target="_blank" rel="noreferrer">
              {t('howToGetToken')}
            </a>
            .
          </p>
          <Snippet title="SDK" text={sdkOf(call, BASE_URL, language)} />
          <p class="meta">
            {t('operation')} <code>{call.operation}</code>:{' '}
            <a href="docs" target="_blank" rel="noreferrer">
              {t('reference')}
            </a>
            .
          </p>
        </>
      )}
    </Panel>
  );
}

function Snippet({ title, text }: { title: string; text: string }) {
  const state = useSignal('');
  const copy = async () => {
    state.value = (await copied(text)) ? t('copied') : t('copyYourself');
  };
  return (
    <section class="snippet" aria-label={title}>
      <div class="snippet-top">
        <h3>{title}</h3>
        <span class="meta" role="status">
          {state.value}
        </span>
        <button type="button" class="quiet" aria-label={t('copyAs', { title })} onClick={copy}>
          <Icon name="copy" /> {t('copy')}
        </button>
      </div>
      {/* It scrolls, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  );
}

/** Copies a text. Browsers refuse it on pages without encryption. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
