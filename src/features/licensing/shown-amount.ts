import { minorUnitOf } from '../../common/codes.ts';
import type { IssuedLicense } from './issued-license.ts';

/** Formats an amount in minor units as a decimal. */
export function shownAmount(amountMinor: number, minorUnit: number): string {
  const digits = String(amountMinor).padStart(minorUnit + 1, '0');
  if (minorUnit === 0) return digits;
  return `${digits.slice(0, -minorUnit)}.${digits.slice(-minorUnit)}`;
}

/** The decimals of a currency that the list of ISO 4217 lacks: of XTS, in which the fixture track is sold. */
const UNLISTED = 2;

/** Returns the decimals of the price of a license, which are those of its quote. */
export function decimalsOf({ terms, currency }: Pick<IssuedLicense, 'terms' | 'currency'>): number {
  return terms.minorUnit ?? minorUnitOf(currency) ?? UNLISTED;
}
