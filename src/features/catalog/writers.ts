/** A party that wrote or published a work, in one role, as the societies need it. Null is unknown. */
export interface Writer {
  /** The credit as delivered. */
  name: string;
  /** As in the credits of the track. */
  role: string;
  /** The IPI name number: eleven digits. */
  ipi: string | null;
  society: string | null;
  /** In hundredths of a percent: 0 to 10,000. */
  share: number | null;
}

/** The whole of a side, in hundredths of a percent. */
export const WHOLE_SHARE = 10_000;

/** The roles of the two sides of a work. Each side divides the whole. */
const SIDES: readonly (readonly string[])[] = [['COMPOSER', 'LYRICIST', 'ARRANGER'], ['PUBLISHER']];

/** The roles of those who wrote or published the work, and do not perform it by that. */
export const WRITER_ROLES: readonly string[] = SIDES.flat();

/** Whether the shares of a side add up to more than the whole. */
export function hasExcessShares(writers: readonly Writer[]): boolean {
  return SIDES.some((roles) => {
    const side = writers.filter(({ role }) => roles.includes(role));
    return side.reduce((sum, { share }) => sum + (share ?? 0), 0) > WHOLE_SHARE;
  });
}

/**
 * Returns what is to be stored of the parties in a delivery, in their order: a value that the delivery lacks stays as
 * stored for the same name and role. A party without values is not stored, nor one that is no longer credited.
 */
export function mergedWriters(delivered: readonly Writer[], stored: readonly Writer[]): Writer[] {
  const left = [...stored];
  return delivered.flatMap(({ name, role, ...given }) => {
    const at = left.findIndex((one) => one.name === name && one.role === role);
    const [former] = at === -1 ? [] : left.splice(at, 1);
    const ipi = given.ipi ?? former?.ipi ?? null;
    const society = given.society ?? former?.society ?? null;
    const share = given.share ?? former?.share ?? null;
    const isKnown = ipi !== null || society !== null || share !== null;
    return isKnown ? [{ name, role, ipi, society, share }] : [];
  });
}
