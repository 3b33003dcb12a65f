import { type LicenseView, licenseState } from '../../../features/licensing/issued-license.ts';
import { decimalsOf, shownAmount } from '../../../features/licensing/shown-amount.ts';
import { time } from '../pages/format.ts';
import type { FormSession } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { badge, card, facts, field, form, heading, table } from '../pages/parts.ts';
import { LICENSE_TONES } from './license-tones.ts';

/** Shows a license with its tracks, and the form of its revocation. */
export function licensePage(session: FormSession, license: LicenseView, now: number): Html {
  const { terms, revokedAt, reason, takenDown } = license;
  const { licensee, project } = terms;
  const state = licenseState(license, now);
  const amount = (minor: number) =>
    `${shownAmount(minor, decimalsOf(license))} ${license.currency}`;
  return html`${heading(html`${license.number} ${badge(state, LICENSE_TONES[state])}`)}
${facts([
  ['Mode', license.mode],
  ['Client', html`<a href="/clients/${license.clientId}">${license.clientId}</a>`],
  ['Licensee', [licensee.name, licensee.country, licensee.email ?? ''].join(' ').trim()],
  ['Project', project.name],
  ['Reference', project.reference ?? ''],
  ['Media', terms.media.join(', ')],
  ['Territories', terms.territories.join(', ')],
  ['Exclusive', terms.exclusive ? 'yes' : 'no'],
  ['Price', amount(license.amountMinor)],
  ['Terms', terms.termsVersion],
  ['Issued', time(license.issuedAt)],
  ['Starts', time(license.startsAt)],
  ['Ends', time(license.endsAt)],
  ['Revoked', revokedAt && html`${time(revokedAt)}: ${reason}`],
])}
${card(
  'Tracks',
  table(
    'Tracks',
    ['Track', 'ISRC', { title: 'Price', isNumber: true }, 'State'],
    terms.tracks.map((track) => [
      html`<a href="/tracks/${track.trackId}">${track.name}</a>`,
      html`<code>${track.isrc}</code>`,
      amount(track.amountMinor),
      takenDown.has(track.trackId) ? badge('taken down', 'bad') : badge('live', 'good'),
    ]),
  ),
)}
${
  revokedAt === null &&
  card(
    'Revoke',
    form(
      session,
      `/licenses/${license.number}/revoke`,
      (given) =>
        html`<p>Its verification says so at once, it no longer excludes others, and its client is told. It cannot be undone.</p>${field('Reason', html`<input name="reason" required maxlength="500" value="${given.text('reason', null)}">`, 'Kept with the license.')}<button class="danger">Revoke</button>`,
    ),
  )
}`;
}
