/** One line of the report: what was measured, the figure, and what was asked for. */
export interface Row {
  what: string;
  figure: string;
  goal: string;
}
