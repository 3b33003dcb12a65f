import type { RateCard } from '../../src/features/licensing/rate-card.ts';
import { parseRateCard } from '../../src/features/licensing/rate-card-file.ts';

/** A rate card as an operator writes it. */
export const CARD = {
  name: 'standard',
  currency: 'EUR',
  termsVersion: '2026-1',
  termsUrl: 'https://house.example/terms/2026-1',
  quoteDays: 14,
  minimumMinor: 1000,
  base: { music: 10_000, sfx: 2_000 } as Record<string, unknown>,
  media: { online: '1', social: '0.5', broadcast: '3' } as Record<string, unknown>,
  mediaCap: '4',
  territories: [
    { code: 'WORLD', factor: '2.5' },
    { code: 'DACH', countries: ['DE', 'AT', 'CH'], factor: '1.2' },
    { code: 'DE', countries: ['DE'], factor: '1' },
  ] as unknown,
  terms: { P1M: '0.4', P1Y: '1', PERPETUAL: '4' } as Record<string, unknown>,
  audience: [
    { upTo: 10_000, factor: '0.6' },
    { upTo: null, factor: '1' },
  ] as unknown,
  exclusive: '20' as unknown,
  surcharges: [{ filterSlug: 'premium', factor: '1.5' }] as unknown,
  volume: [{ from: 10, factor: '0.9' }] as unknown,
};

/** Returns the text of the card with other members. A member that is undefined is left out. */
export function cardText(members: Partial<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...CARD, ...members });
}

/** Returns the card with other members. */
export function cardWith(members: Partial<Record<string, unknown>> = {}): RateCard {
  return parseRateCard(cardText(members));
}

/** Members that leave the base price as it is. */
export const PLAIN = {
  minimumMinor: 0,
  mediaCap: undefined,
  media: { online: '1' },
  territories: [{ code: 'WORLD', factor: '1' }],
  terms: { P1Y: '1' },
  audience: undefined,
  exclusive: undefined,
  surcharges: undefined,
  volume: undefined,
};
