import type { ComponentChildren } from 'preact';
import type { View } from '../browse/view.ts';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import type { Loaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { TestMark } from './test-mark.tsx';

/** A page about one quote or license, once it is loaded. */
export function Page<Data>({
  back,
  title,
  loaded: { data, failure, reload },
  children,
}: {
  back: View;
  title: string;
  loaded: Loaded<Data>;
  children: (data: Data) => ComponentChildren;
}) {
  return (
    <>
      <div class="result">
        <Link view={back} class="back" aria-label={t('back')}>
          <Icon name="back" />
        </Link>
        <h1 tabIndex={-1}>{title}</h1>
        <TestMark />
      </div>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {data !== undefined && <div class="document">{children(data)}</div>}
    </>
  );
}

/** What is known of a quote or a license: names and values, without those that are empty. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
