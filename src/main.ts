#!/usr/bin/env node
// Nothing is imported before this guard: an older Node would stop at what it cannot read, with a stack.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `stave: needs Node 24 or newer, and this is ${process.version}: run it as \`npx stave\` or \`npm start\`, which bring their own\n`,
  );
  process.exit(1);
}

// What was stripped of its types and compiled once is kept for the next start, which takes half the time.
(await import('node:module')).enableCompileCache();

const { readConfig, wantsStacks } = await import('./config.ts');
const { systemClock } = await import('./kernel/clock.ts');
const { runProgram } = await import('./cli/program.ts');

// A reader that went away (`stave log | head`) is no failure, and must not cut an import short.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
}

process.exitCode = await runProgram(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  nodeVersion: process.versions.node,
  exitCode: 0,
  readConfig: () => readConfig(),
  wantsStacks: () => wantsStacks(),
  exit: (code) => process.exit(code),
  onStop(callback) {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    for (const signal of signals) {
      process.on(signal, callback);
    }
    return () => {
      for (const signal of signals) {
        process.off(signal, callback);
      }
    };
  },
});

// Makes this file a module, which top-level await needs; nothing imports it.
export {};
