/**
 * The second half of `.ci/test`, which passes the exit code of the run as the argument, and in `STAVE_TEST_REPORT` the
 * path of the report of that run. Runs each failed test file again, alone. Prints the files that passed the second time,
 * those that failed again, and the number of files. Exits with 1 if a file failed again or the run failed in another way.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileResult, RunResult } from '../test/harness/run-report.ts';

/** If more files fail, the cause is not that tests are unstable. */
const MAX_RERUNS = 10;
/** The exit code of vitest if tests failed. */
const TESTS_FAILED = 1;
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const report = process.env.STAVE_TEST_REPORT!;
const code = Number(process.argv[2]);
const first = readReport();
const failed = first?.files.filter(({ state }) => state !== 'passed' && state !== 'skipped') ?? [];
const cause = causeOfFailure();
if (cause !== undefined) console.log(`the tests fail: ${cause}`);
const unstable = cause === undefined ? failed.filter(passesAlone) : [];
const failedAgain = failed.filter((file) => !unstable.includes(file));
print('UNSTABLE:', unstable);
print('FAILED:', failedAgain);
if (first !== undefined) {
  const skipped = first.files.filter(({ state }) => state === 'skipped').length;
  const passed = first.files.length - skipped - failedAgain.length;
  console.log('Test files; a file that runs on both stores counts twice:');
  console.log(`${passed} passed, ${failedAgain.length} failed, ${skipped} skipped`);
}
process.exitCode = cause === undefined && failedAgain.length === 0 ? 0 : 1;

/** Returns why the run failed if that is not a matter of single files. */
function causeOfFailure(): string | undefined {
  if (first === undefined) return `it ended with ${code} and without a report`;
  if (first.unhandled.length > 0) return `errors outside of tests: ${first.unhandled.join('; ')}`;
  if (code !== 0 && code !== TESTS_FAILED) return `it ended with ${code}`;
  if (code !== 0 && failed.length === 0) return `it ended with ${code}, although no file failed`;
  if (failed.length > MAX_RERUNS) return `${failed.length} files failed; none runs again`;
  return undefined;
}

/** Whether the file passes now. A test that failed and is skipped now has not passed. */
function passesAlone({ project, path, passed, failed }: FileResult): boolean {
  console.log(`== again, alone: ${project} ${relative('', path)}`);
  rmSync(report, { force: true });
  const args = [VITEST, 'run', '--project', project, path];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const files = readReport()?.files ?? [];
  const tests = files.find((file) => file.project === project && file.path === path)?.passed ?? 0;
  return status === 0 && tests >= Math.max(1, passed + failed);
}

function readReport(): RunResult | undefined {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
}

/** Prints each file with its failures in the first run. */
function print(heading: string, files: readonly FileResult[]): void {
  if (files.length === 0) return;
  console.log(heading);
  for (const { project, path, failures } of files) {
    const names = failures.map(({ name }) => `"${name}"`).join(', ');
    const seed = `STAVE_TEST_SEED=${process.env.STAVE_TEST_SEED}`;
    console.log(`${project} ${relative('', path)}: ${names}: ${failures[0]?.message}; ${seed}`);
  }
}
