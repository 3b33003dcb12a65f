/**
 * The number of days after which entries of the change log expire. Takedowns, withdrawals and removals of
 * tracks never expire.
 */
export const LOG_DAYS = 90;
