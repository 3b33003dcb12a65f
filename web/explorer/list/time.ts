/** Seconds as `3:05`, or `1:02:03`; a dash if unknown (0). */
export function clock(seconds: number): string {
  if (!(seconds > 0)) return '–';
  return elapsed(seconds);
}

/** Seconds as `0:00` or more. */
export function elapsed(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}
