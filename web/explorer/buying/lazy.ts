import { lazily } from '../shell/lazily.tsx';

const load = () => import('./buying.ts');

/** What buys licenses. Its script is loaded when it is needed first. */
export const QuoteForm = lazily(async () => (await load()).QuoteForm);
export const CartPanel = lazily(async () => (await load()).CartPanel);
export const BuyPanel = lazily(async () => (await load()).BuyPanel);
export const Quotes = lazily(async () => (await load()).Quotes);
export const Licenses = lazily(async () => (await load()).Licenses);
export const QuotePage = lazily(async () => (await load()).QuotePage);
export const LicensePage = lazily(async () => (await load()).LicensePage);
