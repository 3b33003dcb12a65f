import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { CollectionLink, CollectionLinkEdit } from '#client';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { session } from '../shell/session.ts';
import { day, type Key, t } from '../texts/texts.ts';
import { DeleteButton } from './delete-button.tsx';
import { LinkFeedback } from './link-feedback.tsx';
import { LinkForm } from './link-form.tsx';

/** A link: its address, how it was used, and what can be done with it. */
export function LinkBox({
  id,
  link,
  end,
  reload,
}: {
  /** The collection. */
  id: string;
  link: CollectionLink;
  end: () => void;
  reload: () => void;
}) {
  const copied = useSignal<Key>('copy');
  const address = useRef<HTMLInputElement>(null);
  const open = useSignal<'said' | 'edit' | undefined>(undefined);
  const { url, label, endedAt } = link;
  const isLive = endedAt === null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      copied.value = 'copied';
    } catch {
      // Browsers refuse it on pages without encryption.
      address.current?.select();
      copied.value = 'copyYourself';
    }
    announce(t(copied.value));
  };
  const toggle = (part: 'said' | 'edit') => {
    open.value = open.value === part ? undefined : part;
  };
  return (
    <section class="section" aria-label={label || t('link')}>
      <h3 dir="auto">{label || t('link')}</h3>
      {isLive && (
        <div class="inline">
          <input readOnly ref={address} aria-label={t('addressOfLink')} value={url} />
          <button type="button" onClick={copy}>
            <Icon name="copy" /> {t(copied.value === 'copied' ? 'copied' : 'copy')}
          </button>
        </div>
      )}
      <p class="meta">{factsOf(link).join(' · ')}</p>
      {copied.value === 'copyYourself' && <p class="meta">{t('copyYourself')}</p>}
      <div class="actions">
        <button type="button" aria-expanded={open.value === 'said'} onClick={() => toggle('said')}>
          {t('feedback')}
        </button>
        {isLive && (
          <>
            <button
              type="button"
              aria-expanded={open.value === 'edit'}
              onClick={() => toggle('edit')}
            >
              {t('edit')}
            </button>
            <a class="button" href={url} target="_blank" rel="noreferrer">
              {t('open')}
            </a>
            <DeleteButton remove={end} text="endLink" sure="endForGood" />
          </>
        )}
      </div>
      {open.value === 'said' && <LinkFeedback id={id} link={link} />}
      {open.value === 'edit' && isLive && (
        <Edit
          id={id}
          link={link}
          close={() => {
            open.value = undefined;
          }}
          reload={reload}
        />
      )}
    </section>
  );
}

function Edit({
  id,
  link,
  close,
  reload,
}: {
  id: string;
  link: CollectionLink;
  close: () => void;
  reload: () => void;
}) {
  const failure = useSignal<unknown>(undefined);
  const save = async (edit: CollectionLinkEdit) => {
    failure.value = undefined;
    try {
      // What somebody else has changed meanwhile is not overwritten unseen.
      const ifMatch = `"${link.version}"`;
      const { stave } = session.peek()!;
      await stave.updateCollectionLink({ id, linkId: link.id, ifMatch, ...edit });
      announce(t('saved'));
      close();
      return true;
    } catch (error) {
      failure.value = error;
      return false;
    } finally {
      reload();
    }
  };
  return (
    <>
      {failure.value !== undefined && <Failure error={failure.value} />}
      <LinkForm key={link.version} link={link} save={save} cancel={close} />
    </>
  );
}

function factsOf(link: CollectionLink): string[] {
  const { expiresAt, endedAt, hasPassword, streams, comments, opens, plays, lastOpenedAt } = link;
  return [
    endedAt === null ? t('until', { day: day(expiresAt) }) : t('endedOn', { day: day(endedAt) }),
    t('opens', { n: opens }) +
      (lastOpenedAt === null ? '' : `, ${t('lastOn', { day: day(lastOpenedAt) })}`),
    t('plays', { n: plays }),
    hasPassword ? t('withPassword') : '',
    streams === 'preview' ? t('previewsOnly') : '',
    comments ? '' : t('withoutComments'),
  ].filter(Boolean);
}
