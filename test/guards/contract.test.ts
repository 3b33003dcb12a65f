import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MESSAGES } from '../../src/features/webhooks/routes/message-schemas.ts';
import { EVENT_TYPES } from '../../src/features/webhooks/webhook.ts';
import { ROOT, repositoryFiles } from './source.ts';

const CONTRACT = 'docs/contract';

/** A reference to a page of the contract and a heading in it, as comments and messages write it. */
const REFERENCE = /docs\/contract\/([\w-]+\.md)(?:#([\w-]+))?/g;

/** The name of the contract before it was in the repository. In pieces, because this file is searched, too. */
const OUTSIDE = new RegExp(['decisions', '§'].join(',? ?'));

/** A link to another Markdown file or to a heading of the same file. */
const LINK = /\]\(((?![a-z]+:)[^()\s#]*\.md)?(?:#([^()\s]+))?\)/g;

/** The slug that GitHub makes from a heading. */
function slugOf(heading: string): string {
  return heading
    .replace(/\]\([^)]*\)/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** The anchors of a Markdown text in order, including repeated ones. */
function anchorsOf(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => slugOf(match[1]!));
}

/** The reason why a target does not exist; undefined if it exists. */
function fault(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(ROOT, path))) {
    return `${path} does not exist`;
  }
  return anchor === undefined || anchorsOf(read(path)).includes(anchor)
    ? undefined
    : `${path} has no heading #${anchor}`;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const files = repositoryFiles().map((path) => path.replaceAll('\\', '/'));
const pages = files.filter((path) => path.startsWith(`${CONTRACT}/`));

describe('the contract', () => {
  it('has every page and heading that the repository refers to', () => {
    const broken = files.flatMap((path) =>
      [...read(path).matchAll(REFERENCE)].flatMap(([, page, anchor]) => {
        const wrong = fault(`${CONTRACT}/${page}`, anchor);
        return wrong === undefined ? [] : [`${path}: ${wrong}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('is referred to only by its pages in the repository', () => {
    expect(files.filter((path) => OUTSIDE.test(read(path)))).toEqual([]);
    expect(OUTSIDE.test(['by', 'decisions', '§4'].join(' '))).toBe(true);
  });

  it('lists every page in its index', () => {
    const index = read(`${CONTRACT}/README.md`);
    const unlisted = pages
      .map((path) => posix.basename(path))
      .filter((name) => name !== 'README.md' && !index.includes(`](${name})`));
    expect(unlisted).toEqual([]);
  });

  it('lists every event type of webhooks, as the schemas of messages do', () => {
    const section = read(`${CONTRACT}/webhooks.md`).split('## Event types\n')[1]!.split('\n\n')[0]!;
    const types = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => type);
    expect(types).toEqual([...EVENT_TYPES, 'webhook.ping']);
    expect(MESSAGES.map(({ type }) => type)).toEqual([...EVENT_TYPES, 'webhook.ping']);
  });

  it('has no heading twice on a page', () => {
    const repeated = pages.flatMap((path) => {
      const anchors = anchorsOf(read(path));
      return anchors.filter((one, i) => anchors.indexOf(one) < i).map((one) => `${path}#${one}`);
    });
    expect(repeated).toEqual([]);
  });
});

describe('the documentation', () => {
  it('links to files and headings that exist', () => {
    const broken = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...read(path).matchAll(LINK)].flatMap(([, target, anchor]) => {
          const page =
            target === undefined ? path : posix.join(posix.dirname(path), decodeURI(target));
          const wrong = fault(page, anchor);
          return wrong === undefined ? [] : [`${path}: ${wrong}`];
        }),
      );
    expect(broken).toEqual([]);
  });
});

describe('the guard of anchors', () => {
  it('makes slugs like GitHub', () => {
    expect(slugOf('How to refer to a rule')).toBe('how-to-refer-to-a-rule');
    expect(slugOf('`GET /v1/me`: who is calling?')).toBe('get-v1me-who-is-calling');
    expect(anchorsOf('# One\n```sh\n# no heading\n```\n## Two words\n')).toEqual([
      'one',
      'two-words',
    ]);
  });

  it('detects a page and a heading that do not exist', () => {
    expect(fault(`${CONTRACT}/search.md`, 'apostrophes')).toBeUndefined();
    expect(fault(`${CONTRACT}/search.md`, 'no-such-rule')).toContain('no heading');
    expect(fault(`${CONTRACT}/no-such-page.md`, undefined)).toContain('does not exist');
  });
});
