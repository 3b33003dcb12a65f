import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Quote, QuoteRequest, RateCard } from '#client';
import { money, termName } from '../lists/money.ts';
import { Failure } from '../shell/failure.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';

/** Asks for the price of a license of a track. */
export function QuoteForm({ slug }: { slug: string }) {
  const card = useLoaded('rate card', (stave, signal) => stave.readRateCard({ signal }).then());
  const quote = useSignal<Quote | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const request = requestIn(event.currentTarget as HTMLFormElement, slug);
    failure.value = undefined;
    try {
      quote.value = await session.peek()!.stave.createQuote(request);
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <section class="section" aria-label="License">
      <h3>License</h3>
      {card.failure !== undefined && <Failure error={card.failure} retry={card.reload} />}
      {card.data && (
        <form class="quote" onSubmit={submit}>
          <Fields card={card.data} />
          <button type="submit" class="primary">
            Get a quote
          </button>
        </form>
      )}
      {failure.value !== undefined && <Failure error={failure.value} />}
      {/* It is there before the price, because only changes of what is there are told. */}
      <div role="status">{quote.value && <Price quote={quote.value} />}</div>
    </section>
  );
}

function Fields({ card }: { card: RateCard }) {
  return (
    <>
      <label>
        Project
        <input name="project" required maxLength={200} placeholder="Name of the film or spot" />
      </label>
      <fieldset>
        <legend>Media</legend>
        <div class="checks">
          {card.media.map((medium, i) => (
            <label class="check" key={medium}>
              <input type="checkbox" name="media" value={medium} defaultChecked={i === 0} />{' '}
              {medium}
            </label>
          ))}
        </div>
      </fieldset>
      <label>
        Countries
        <input
          name="territories"
          required
          defaultValue="WORLD"
          aria-describedby="territories-help"
          spellcheck={false}
        />
        <span class="meta" id="territories-help">
          Codes such as DE, AT, or WORLD
        </span>
      </label>
      <label>
        Term
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
          Audience
          <input name="audience" type="number" min="1" required placeholder="People reached" />
        </label>
      )}
      {card.exclusive && (
        <label class="check">
          <input type="checkbox" name="exclusive" /> Exclusive
        </label>
      )}
    </>
  );
}

function requestIn(form: HTMLFormElement, slug: string): QuoteRequest {
  const fields = new FormData(form);
  const text = (name: string) => String(fields.get(name) ?? '').trim();
  const codes = text('territories')
    .toUpperCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return {
    tracks: [slug],
    media: fields.getAll('media').map(String),
    // The service says which codes it does not know.
    territories: codes as QuoteRequest['territories'],
    term: text('term'),
    project: { name: text('project') },
    ...(fields.has('audience') && { audience: Number(text('audience')) }),
    ...(fields.has('exclusive') && { exclusive: true }),
  };
}

function Price({ quote }: { quote: Quote }) {
  const box = useRef<HTMLDivElement>(null);
  // It is below the form, which may fill the panel.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [quote.id]);
  const steps = quote.items[0]?.breakdown ?? [];
  return (
    <div class="price-box" ref={box}>
      <p>
        <strong>{money(quote.amountMinor, quote)}</strong> net, valid until{' '}
        {new Date(quote.expiresAt).toLocaleDateString()}
      </p>
      <dl class="facts">
        {steps.map(({ step, value, code, codes }) => (
          <div key={step + value}>
            <dt>
              {step} {code ?? codes?.join(', ') ?? ''}
            </dt>
            <dd>
              {step === 'base' || step === 'minimum' ? money(Number(value), quote) : `× ${value}`}
            </dd>
          </div>
        ))}
      </dl>
      <p class="meta">
        Quote <code>{quote.id}</code>
      </p>
    </div>
  );
}
