import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** The result of a test file in one project of vitest. A file that runs on both stores has two. */
export interface FileResult {
  project: string;
  /** The absolute path. */
  path: string;
  /** `pending` or `queued`: the run ended before the file did. */
  state: ReturnType<TestModule['state']>;
  /** How many tests passed. */
  passed: number;
  /** How many tests failed. It is 0 if only a hook or the collection failed. */
  failed: number;
  /** What failed in the file: tests, hooks of a suite, or the file itself, which has the name `the file`. */
  failures: { name: string /** Its first line. */; message: string }[];
}

/** The result of a run of vitest. */
export interface RunResult {
  /** The first lines of the messages of errors outside of tests, such as unhandled rejections and workers that were killed. */
  unhandled: string[];
  files: FileResult[];
}

/** Writes the result of a run as JSON into a file. The file is missing if vitest itself fails. */
export class RunReport implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(...[modules, errors]: Parameters<Required<Reporter>['onTestRunEnd']>): void {
    const result: RunResult = {
      unhandled: errors.map(({ message }) => firstLine(message)),
      files: modules.map(fileResult),
    };
    writeFileSync(this.#path, JSON.stringify(result));
  }
}

function fileResult(file: TestModule): FileResult {
  const failed = [...file.children.allTests('failed')].map((test) => ({
    name: test.fullName,
    errors: test.result().errors ?? [],
  }));
  const suites = [...file.children.allSuites()].map((suite) => ({
    name: suite.fullName,
    errors: suite.errors(),
  }));
  const failures = [...failed, ...suites, { name: 'the file', errors: file.errors() }];
  return {
    project: file.project.name,
    path: file.moduleId,
    state: file.state(),
    passed: [...file.children.allTests('passed')].length,
    failed: failed.length,
    failures: failures.flatMap(({ name, errors: [first] }) =>
      first === undefined ? [] : [{ name, message: firstLine(first.message) }],
    ),
  };
}

function firstLine(message: string): string {
  return message.split('\n')[0]!;
}
