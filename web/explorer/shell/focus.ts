/** Moves the focus to the heading of the list, after an action that removes the control that had it. */
export function focusHeading(): void {
  // By then, what the action changes is shown.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.main h1')?.focus());
}
