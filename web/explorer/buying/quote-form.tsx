import { useSignal } from '@preact/signals';
import type { Quote, QuoteRequest, RateCard } from '#client';
import { Failure } from '../shell/failure.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import type { Bought } from './cart.ts';
import { Countries } from './countries.tsx';
import { asTerritories, mediumName, soldBy, termName, WORLD } from './names.ts';
import { Offer } from './offer.tsx';
import { Problems } from './problems.tsx';
import { TestMark } from './test-mark.tsx';

/** Asks for the price of a license of tracks, which can then be bought. */
export function QuoteForm({ tracks }: { tracks: readonly Bought[] }) {
  const card = useLoaded('rate card', (stave, signal) => stave.readRateCard({ signal }).then());
  return (
    <section
      class={card.data || card.failure ? 'section' : 'section coming'}
      aria-label={t('license')}
    >
      <h3>
        {t('license')} <TestMark />
      </h3>
      {card.failure !== undefined && <Failure error={card.failure} retry={card.reload} />}
      {card.data && <Form card={card.data} tracks={tracks} />}
    </section>
  );
}

function Form({ card, tracks }: { card: RateCard; tracks: readonly Bought[] }) {
  const quote = useSignal<Quote | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const countries = useSignal<string[]>(soldBy(card).isWorldSold ? [WORLD] : []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    failure.value = undefined;
    isBusy.value = true;
    try {
      const request = requestIn(form, countries.value, tracks);
      quote.value = await session.peek()!.stave.createQuote(request);
    } catch (error) {
      quote.value = undefined;
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <form class="quote" onSubmit={submit}>
        <label>
          {t('project')}
          <input name="project" required maxLength={200} placeholder={t('projectExample')} />
        </label>
        <Media card={card} />
        <Countries card={card} chosen={countries} />
        <label>
          {t('term')}
          <select name="term">
            {card.terms.map((term) => (
              <option key={term} value={term}>
                {termName(term)}
              </option>
            ))}
          </select>
        </label>
        {card.audience.length > 0 && (
          <label>
            {t('audience')}
            <input
              name="audience"
              type="number"
              min="1"
              required
              placeholder={t('audienceExample')}
            />
          </label>
        )}
        <label>
          {t('purchaseOrder')}
          <input name="purchaseOrder" maxLength={100} placeholder={t('optional')} />
        </label>
        {card.exclusive && (
          <label class="check">
            <input type="checkbox" name="exclusive" /> {t('exclusive')}
          </label>
        )}
        <button type="submit" class="primary" disabled={isBusy.value}>
          {t('getQuote')}
        </button>
      </form>
      {failure.value !== undefined && (
        <Problems error={failure.value} tracks={tracks.map(({ name }) => name)} />
      )}
      {/* It is there before the price, because only changes of what is there are told. */}
      <div role="status">
        {quote.value && <Offer key={quote.value.id} quote={quote.value} isNew />}
      </div>
    </>
  );
}

function Media({ card }: { card: RateCard }) {
  return (
    <fieldset>
      <legend>{t('media')}</legend>
      <div class="checks">
        {card.media.map((medium, i) => (
          <label class="check" key={medium}>
            <input type="checkbox" name="media" value={medium} defaultChecked={i === 0} />{' '}
            {mediumName(medium)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function requestIn(
  form: HTMLFormElement,
  countries: readonly string[],
  tracks: readonly Bought[],
): QuoteRequest {
  const fields = new FormData(form);
  const text = (name: string) => String(fields.get(name) ?? '').trim();
  return {
    tracks: tracks.map(({ slug }) => slug),
    media: fields.getAll('media').map(String),
    territories: asTerritories(countries),
    term: text('term'),
    project: { name: text('project') },
    ...(fields.has('audience') && { audience: Number(text('audience')) }),
    ...(fields.has('exclusive') && { exclusive: true }),
    ...(text('purchaseOrder') !== '' && { purchaseOrder: text('purchaseOrder') }),
  };
}
