/** Who caused a change, as the change log shows it: `cli:anna`, `system:demo`. */
export type Actor = string;
