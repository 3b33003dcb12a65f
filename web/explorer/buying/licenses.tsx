import type { License } from '#client';
import { view, viewOf } from '../browse/location.ts';
import { PAGE_SIZE, usePaged } from '../lists/use-paged.ts';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { day, t } from '../texts/texts.ts';
import { FoundList, statusName } from './found-list.tsx';
import { usageText } from './offer.tsx';

const STATUSES = ['active', 'scheduled', 'expired', 'revoked'] as const;

/** The licenses of the client, newest first. */
export function Licenses() {
  const status = STATUSES.find((one) => one === view.value.status);
  const list = usePaged(`licenses ${status}`, (stave, page, signal) =>
    stave.listLicenses({ page, pageSize: PAGE_SIZE, ...(status && { status }) }, { signal }),
  );
  return (
    <FoundList
      title={t('licenses')}
      noun="countLicenses"
      list={list}
      statuses={STATUSES}
      isOfStatus
      textOf={({ number, project, licensee, tracks }) =>
        [number, project.name, licensee.name, ...tracks.map(({ name }) => name)].join(' ')
      }
      empty={t('noLicenses')}
    >
      {(license) => <LicenseLine key={license.number} license={license} />}
    </FoundList>
  );
}

function LicenseLine({ license }: { license: License }) {
  const { number, project, licensee, tracks, status, issuedAt } = license;
  return (
    <li>
      <Link view={viewOf({ list: 'license', of: number })} class="line">
        <Icon name="license" />
        <span class="names">
          <span class="name">
            {project.name}: {tracks.map(({ name }) => name).join(', ')}
          </span>
          <span class="artists">
            {licensee.name} · {usageText(license, periodOf(license))}
          </span>
        </span>
        <span class="price">
          <strong>{number}</strong>
          <span class="meta">
            {statusName(status)} · {day(issuedAt)}
          </span>
        </span>
      </Link>
    </li>
  );
}

/** From when until when a license is valid. */
export function periodOf({ startsAt, endsAt }: Pick<License, 'startsAt' | 'endsAt'>): string {
  return endsAt === null
    ? t('fromDay', { day: day(startsAt) })
    : `${day(startsAt)} – ${day(endsAt)}`;
}
