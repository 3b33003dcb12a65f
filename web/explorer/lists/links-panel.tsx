import { useSignal } from '@preact/signals';
import type { CollectionLink, SharedItem, StaveClient } from '#client';
import { go, withPanel } from '../browse/location.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Panel } from '../shell/panel.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { day, t } from '../texts/texts.ts';
import { DeleteButton } from './delete-button.tsx';

/** The links by which others hear a collection without signing in, and what they say of its tracks. */
export function LinksPanel({ id }: { id: string }) {
  const { data, failure, reload } = useLoaded(`links ${id}`, (stave, signal) =>
    stave.listCollectionLinks({ id, pageSize: 100 }, { signal }).then(),
  );
  const problem = useSignal<unknown>(undefined);
  const attempt = async (change: (stave: StaveClient) => Promise<unknown>, told: string) => {
    problem.value = undefined;
    try {
      await change(session.peek()!.stave);
      announce(told);
      reload();
    } catch (error) {
      problem.value = error;
    }
  };
  const shown = problem.value ?? failure;
  return (
    <Panel title={t('links')} close={() => go(withPanel(undefined))}>
      <p class="meta">{t('linksHelp')}</p>
      <NewLink
        create={(request) =>
          attempt((stave) => stave.createCollectionLink({ id, ...request }), t('linkCreated'))
        }
      />
      {shown !== undefined && <Failure error={shown} />}
      {data?.items.map((link) => (
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
        />
      ))}
    </Panel>
  );
}

interface NewLinkRequest {
  label?: string;
  password?: string;
  streams: 'full' | 'preview';
  comments: boolean;
}

function NewLink({ create }: { create: (request: NewLinkRequest) => Promise<void> }) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    await create({
      ...(text('label') !== '' && { label: text('label') }),
      ...(text('password') !== '' && { password: text('password') }),
      streams: fields.has('preview') ? 'preview' : 'full',
      comments: fields.has('comments'),
    });
    form.reset();
  };
  return (
    <form class="quote" onSubmit={submit}>
      <label>
        {t('linkLabel')}
        <input name="label" maxLength={80} placeholder={t('optional')} />
      </label>
      <label>
        {t('password')}
        <input
          name="password"
          minLength={8}
          maxLength={128}
          autocomplete="off"
          placeholder={t('optional')}
        />
      </label>
      <label class="check">
        <input type="checkbox" name="comments" defaultChecked /> {t('allowComments')}
      </label>
      <label class="check">
        <input type="checkbox" name="preview" /> {t('onlyPreviews')}
      </label>
      <button type="submit" class="primary">
        {t('createLink')}
      </button>
    </form>
  );
}

function LinkBox({ id, link, end }: { id: string; link: CollectionLink; end: () => void }) {
  const state = useSignal('');
  const isOpen = useSignal(false);
  const { url, label, expiresAt, endedAt, hasPassword, opens, plays } = link;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      state.value = t('copied');
    } catch {
      // Browsers refuse it on pages without encryption.
      state.value = t('copyYourself');
    }
  };
  const facts = [
    endedAt === null ? t('until', { day: day(expiresAt) }) : t('ended'),
    t('opens', { n: opens }),
    t('plays', { n: plays }),
    hasPassword ? t('withPassword') : '',
  ];
  return (
    <section class="section" aria-label={label || t('link')}>
      <h3>{label || t('link')}</h3>
      {endedAt === null && (
        <div class="inline">
          <input readOnly aria-label={t('addressOfLink')} value={url} />
          <button type="button" onClick={copy}>
            <Icon name="copy" /> {t('copy')}
          </button>
        </div>
      )}
      <p class="meta">{facts.filter(Boolean).join(' · ')}</p>
      <p class="meta" role="status">
        {state.value}
      </p>
      <div class="actions">
        <button
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {t('votesAndComments')}
        </button>
        {endedAt === null && <DeleteButton remove={end} />}
      </div>
      {isOpen.value && <Feedback id={id} link={link} />}
    </section>
  );
}

interface Said {
  /** Undefined where the page of the link asks for its password, or has ended. */
  items: SharedItem[] | undefined;
  comments: { id: string; name: string; text: string; createdAt: string }[];
}

/** What guests say: the votes by the page of the link, as guests see it, and the comments, which are kept without it. */
function Feedback({ id, link }: { id: string; link: CollectionLink }) {
  const { data, failure, reload } = useLoaded(
    `said ${link.id}`,
    async (stave, signal): Promise<Said> => {
      const isReadable = link.endedAt === null && !link.hasPassword;
      const token = link.url.split('/').at(-1)!;
      const [shared, comments] = await Promise.all([
        isReadable ? stave.readShared({ token, pageSize: 100 }, { signal }).then() : undefined,
        stave.listLinkComments({ id, linkId: link.id, pageSize: 100 }, { signal }).then(),
      ]);
      return { items: shared?.items, comments: comments.items };
    },
  );
  if (failure !== undefined) return <Failure error={failure} retry={reload} />;
  if (data === undefined) return <p class="meta">{t('loading')}</p>;
  const voted = data.items?.filter(({ votes }) => votes.approve + votes.pass > 0) ?? [];
  return (
    <>
      <ul class="parts">
        {voted.map(({ track, votes }) => (
          <li key={track.id}>
            <span class="name" dir="auto">
              {track.name}
            </span>
            <span class="meta">{t('votes', { ...votes })}</span>
          </li>
        ))}
      </ul>
      <ul class="comments">
        {data.comments.map(({ id: commentId, name, text, createdAt }) => (
          <li key={commentId}>
            <p dir="auto">{text}</p>
            <p class="meta">
              {name} · {day(createdAt)}
            </p>
          </li>
        ))}
      </ul>
      {voted.length + data.comments.length === 0 && <p class="meta">{t('nothingSaid')}</p>}
    </>
  );
}
