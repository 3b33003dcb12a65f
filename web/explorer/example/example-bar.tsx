import { useRef } from 'preact/hooks';
import { viewOf } from '../browse/location.ts';
import { BackAndTitle } from '../lists/list-bar.tsx';
import { Icon } from '../shell/icon.tsx';
import { TITLES } from '../shell/title.ts';
import { t } from '../texts/texts.ts';
import { megabytes } from '../track/audio-text.ts';
import { example, isTooLarge } from './example.ts';
import { findLike } from './find-like.ts';

/** The file to whose sound the tracks are compared, and a button for another one. */
export function ExampleBar() {
  const input = useRef<HTMLInputElement>(null);
  const file = example.value;
  const choose = (
    <>
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        <Icon name="sound" /> {t('chooseFile')}
      </button>
      <p class="description">{t('chooseFileHelp')}</p>
    </>
  );
  return (
    <>
      <div class="result">
        <BackAndTitle
          back={viewOf({ list: 'search' })}
          title={file === undefined ? t(TITLES['by-audio']) : t('like', { name: file.name })}
        />
        <input
          ref={input}
          type="file"
          accept="audio/*"
          hidden
          aria-label={t('audioFile')}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen !== undefined) findLike(chosen);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
        {file !== undefined && choose}
        {file !== undefined && isTooLarge(file) && (
          <p class="failure whole" role="alert">
            {t('fileTooLarge', { size: megabytes(file.size) })}
          </p>
        )}
      </div>
      {file === undefined && <div class="drop-here">{choose}</div>}
    </>
  );
}
