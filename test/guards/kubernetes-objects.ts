import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SERVICES_REQUIRED } from '../harness/services.ts';
import { ROOT } from './source.ts';

/** An object of the Kubernetes API, as kustomize prints it. */
// biome-ignore lint/suspicious/noExplicitAny: the types of Kubernetes check these objects, in kubernetes.test.ts
export type KubernetesObject = any;

/** Commands that print what a folder of kustomize consists of, without a cluster. */
const KUSTOMIZE = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
];

const TO_JSON =
  'import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)';

const found = KUSTOMIZE.find((command) => isModern(command));

/** Whether the programs that render a folder are installed; prints a message if they are not. */
export const canRender = found !== undefined && canParse();
if (!canRender) {
  const message =
    'the tests of deploy/kubernetes need kubectl 1.30 or later, or kustomize, and python3-yaml';
  if (SERVICES_REQUIRED) throw new Error(message);
  process.stderr.write(`SKIPPED: ${message}.\n`);
}

/** Returns the objects of a folder below deploy/kubernetes, as `kubectl apply -k` sends them. */
export function render(folder: string): KubernetesObject[] {
  const [program, word] = found!;
  return parseYaml(run(program!, [word!, join(ROOT, 'deploy/kubernetes', folder)]));
}

export function parseYaml(text: string): KubernetesObject[] {
  return JSON.parse(run('/usr/bin/python3', ['-c', TO_JSON], text));
}

function run(program: string, words: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** kubectl of Debian 12 has a kustomize of 2019, which does not know the form of these files. */
function isModern([program, word]: string[]): boolean {
  return spawnSync(program!, [word!, join(ROOT, 'deploy/kubernetes/base')]).status === 0;
}

function canParse(): boolean {
  return spawnSync('/usr/bin/python3', ['-c', 'import yaml']).status === 0;
}
