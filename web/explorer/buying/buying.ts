/** What is loaded together, when something of it is needed first. */
export { BuyPanel, CartPanel } from './buy-panels.tsx';
export { LicensePage } from './license-page.tsx';
export { Licenses } from './licenses.tsx';
export { QuoteForm } from './quote-form.tsx';
export { QuotePage } from './quote-page.tsx';
export { Quotes } from './quotes.tsx';
