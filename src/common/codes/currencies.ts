/**
 * The currencies of ISO 4217 by their number of decimals (minor unit), as of 2026. `Intl` is not used, because Node
 * gives HUF, IQD and MGA no decimals, and ISO 4217 gives them 2, 3 and 2. Codes without a minor unit, such as XAU, are
 * not among them. A code that ISO 4217 withdraws stays, because stored rate cards may have it.
 */
const BY_MINOR_UNIT: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD ' +
    'CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP ' +
    'GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT ' +
    'LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN ' +
    'NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
    'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES ' +
    'WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const MINOR_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries(BY_MINOR_UNIT).flatMap(([minorUnit, codes]) =>
    codes.split(' ').map((code) => [code, Number(minorUnit)]),
  ),
);

/** Returns the number of decimals of a currency; undefined for a code that is not in ISO 4217, or not in upper case. */
export function minorUnitOf(currency: string): number | undefined {
  return MINOR_UNITS.get(currency);
}
