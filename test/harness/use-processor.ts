/** Uses the processor for this time, in milliseconds of this thread, however long that takes beside other programs. */
export function useProcessor(ms: number): void {
  const begun = process.threadCpuUsage();
  let used = begun;
  do used = process.threadCpuUsage(begun);
  while (used.user + used.system < ms * 1_000);
}
