/** The number of decimals of a factor. */
const DECIMALS = 4;
/** The value of the factor 1. */
export const ONE = 10n ** BigInt(DECIMALS);

const FORM = /^(0|[1-9]\d{0,5})(?:\.(\d{1,4}))?$/;

/**
 * Returns a decimal text such as `2.5` in ten-thousandths; undefined for any other text. Prices are computed with these
 * integers, because a binary fraction has no exact value for most decimals.
 */
export function parseFactor(text: string): bigint | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, whole, decimals = ''] = match;
  return BigInt(whole! + decimals.padEnd(DECIMALS, '0'));
}

/** Returns the decimal text of a factor, without zeros at the end. */
export function factorText(factor: bigint): string {
  const decimals = (factor % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${factor / ONE}${decimals && `.${decimals}`}`;
}

/** Returns the product of an integer and factors, rounded half up once. None of them is negative. */
export function timesRounded(integer: bigint, factors: readonly bigint[]): bigint {
  const dividend = factors.reduce((product, factor) => product * factor, integer);
  const divisor = ONE ** BigInt(factors.length);
  return (2n * dividend + divisor) / (2n * divisor);
}
