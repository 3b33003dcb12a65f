import { useSignal } from '@preact/signals';
import { go, view, withPanel } from '../browse/location.ts';
import { Icon } from '../shell/icon.tsx';
import { Panel } from '../shell/panel.tsx';
import { BASE_URL, chosenLanguage } from '../shell/session.ts';
import { callOf } from './call.ts';
import { curlOf, sdkOf } from './snippet.ts';

/** How a program requests what is on the page. */
export function CodePanel() {
  const call = callOf(view.value);
  const language = chosenLanguage();
  return (
    <Panel title="Code" close={() => go(withPanel(undefined))}>
      {call && (
        <>
          <Snippet title="curl" text={curlOf(call, BASE_URL, language)} />
          <p class="meta">
            Set <code>STAVE_TOKEN</code> to an access token first:{' '}
            <a href="docs/getting-started" target="_blank" rel="noreferrer">
              how to get one
            </a>
            .
          </p>
          <Snippet title="SDK" text={sdkOf(call, BASE_URL, language)} />
          <p class="meta">
            The operation <code>{call.operation}</code> in the{' '}
            <a href="docs" target="_blank" rel="noreferrer">
              API reference
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
    state.value = (await copied(text)) ? 'Copied' : 'Select the text and copy it';
  };
  return (
    <section class="snippet" aria-label={title}>
      <div class="snippet-top">
        <h3>{title}</h3>
        <span class="meta" role="status">
          {state.value}
        </span>
        <button type="button" class="quiet" aria-label={`Copy as ${title}`} onClick={copy}>
          <Icon name="copy" /> Copy
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
