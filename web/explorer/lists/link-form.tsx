import type { CollectionLink, CollectionLinkEdit } from '#client';
import { t } from '../texts/texts.ts';

/** How long a new link is valid, and the longest time from now on. */
const [USUAL_DAYS, MOST_DAYS] = [30, 364];
const NEW = { label: '', hasPassword: false, streams: 'full', comments: true } as const;

/** The settings of a new link, or of one that is changed. What it saves is what differs. */
export function LinkForm({
  link,
  save,
  cancel,
}: {
  link?: CollectionLink;
  /** Returns whether it is saved. */
  save: (edit: CollectionLinkEdit) => Promise<boolean>;
  cancel?: () => void;
}) {
  const { label, hasPassword, streams, comments } = link ?? NEW;
  const lastDay = link === undefined ? dayIn(USUAL_DAYS) : dayOf(new Date(link.expiresAt));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    const next = {
      label: text('label'),
      streams: fields.has('preview') ? 'preview' : 'full',
      comments: fields.has('comments'),
    } as const;
    const isSaved = await save({
      ...(next.label !== label && { label: next.label }),
      ...(next.streams !== streams && { streams: next.streams }),
      ...(next.comments !== comments && { comments: next.comments }),
      ...(text('last-day') !== lastDay && { expiresAt: endOf(text('last-day')) }),
      ...(text('password') !== '' && { password: text('password') }),
      ...(fields.has('open') && { password: null }),
    });
    if (isSaved && link === undefined) form.reset();
  };
  return (
    <form class="quote" onSubmit={submit}>
      <label>
        {t('linkLabel')}
        <input name="label" maxLength={80} placeholder={t('optional')} defaultValue={label} />
      </label>
      <label>
        {t('lastDay')}
        <input
          type="date"
          name="last-day"
          required
          min={dayIn(0)}
          max={dayIn(MOST_DAYS)}
          defaultValue={lastDay}
        />
      </label>
      <label>
        {t(hasPassword ? 'newPassword' : 'password')}
        <input
          name="password"
          minLength={8}
          maxLength={128}
          autocomplete="off"
          placeholder={t('optional')}
        />
      </label>
      <div>
        {hasPassword && (
          <label class="check">
            <input type="checkbox" name="open" /> {t('removePassword')}
          </label>
        )}
        <label class="check">
          <input type="checkbox" name="comments" defaultChecked={comments} /> {t('allowComments')}
        </label>
        <label class="check">
          <input type="checkbox" name="preview" defaultChecked={streams === 'preview'} />{' '}
          {t('onlyPreviews')}
        </label>
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          {t(link === undefined ? 'createLink' : 'save')}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            {t('cancel')}
          </button>
        )}
      </div>
    </form>
  );
}

/** The day as fields for dates have it, where the visitor is. */
function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

function dayIn(days: number): string {
  const time = new Date();
  time.setDate(time.getDate() + days);
  return dayOf(time);
}

function endOf(lastDay: string): string {
  return new Date(`${lastDay}T23:59:59`).toISOString();
}
