import { useSignal } from '@preact/signals';
import type { StaveClient } from '#client';
import { go, withPanel } from '../browse/location.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Panel } from '../shell/panel.tsx';
import { session } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { LinkBox } from './link-box.tsx';
import { LinkForm } from './link-form.tsx';
import { PAGE_SIZE, usePaged } from './use-paged.ts';

/** The links by which others hear a collection without signing in, and what they say of its tracks. */
export function LinksPanel({ id }: { id: string }) {
  const { items, failure, more, reload } = usePaged(`links ${id}`, (stave, page, signal) =>
    stave.listCollectionLinks({ id, page, pageSize: PAGE_SIZE }, { signal }),
  );
  const problem = useSignal<unknown>(undefined);
  const attempt = async (change: (stave: StaveClient) => Promise<unknown>, told: string) => {
    problem.value = undefined;
    try {
      await change(session.peek()!.stave);
      announce(told);
      reload();
      return true;
    } catch (error) {
      problem.value = error;
      return false;
    }
  };
  const shown = problem.value ?? failure;
  return (
    <Panel title={t('links')} close={() => go(withPanel(undefined))}>
      <p class="meta">{t('linksHelp')}</p>
      <LinkForm
        save={({ password, ...edit }) =>
          attempt(
            (stave) => stave.createCollectionLink({ id, ...edit, ...(password && { password }) }),
            t('linkCreated'),
          )
        }
      />
      {shown !== undefined && <Failure error={shown} />}
      {items.map((link) => (
        <LinkBox
          key={link.id}
          id={id}
          link={link}
          end={() =>
            attempt(
              (stave) => stave.deleteCollectionLink({ id, linkId: link.id, ifMatch: '*' }),
              t('linkEnded'),
            )
          }
          reload={reload}
        />
      ))}
      {more && (
        <button type="button" onClick={more}>
          {t('showMore')}
        </button>
      )}
    </Panel>
  );
}
