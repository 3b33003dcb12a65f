import { Marked, type Token, type Tokens } from 'marked';
import { escaped } from '../../common/text/shown.ts';
import {
  type GuideText,
  headingIds,
  pathOf,
  plainText,
  relativeUrl,
  targetOf,
} from './guide-text.ts';

/**
 * Returns the HTML of a guide. Headings have the ids of their texts. What may be wider than a narrow screen scrolls
 * by itself, also with the keyboard.
 */
export function renderGuide({ guide, markdown }: GuideText): string {
  const ids = headingIds();
  const from = pathOf(guide);
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth }) {
        const id = ids(plainText(tokens));
        const text = this.parser.parseInline(tokens);
        const link =
          depth === 1 ? '' : `<a class="here" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
        return `<h${depth} id="${id}">${text}${link}</h${depth}>\n`;
      },
      code({ text, lang }) {
        const name = escaped(lang || 'text');
        return `<pre tabindex="0" role="group" aria-label="Code: ${name}"><code>${escaped(text)}</code></pre>\n`;
      },
      table(table) {
        return `<div class="table" tabindex="0" role="group" aria-label="Table">${tableOf(table, (tokens) => this.parser.parseInline(tokens))}</div>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href, guide.file, 'html');
        if (target === undefined) return text;
        const address =
          'url' in target
            ? target.url
            : target.path === from && target.fragment !== ''
              ? target.fragment
              : relativeUrl(from, target.path) + target.fragment;
        return `<a href="${escaped(address)}">${text}</a>`;
      },
      checkbox: () => '<span aria-hidden="true">☐</span> ',
      html({ text }) {
        return text.startsWith('<!--') ? '' : escaped(text);
      },
    },
  });
  return marked.parse(markdown) as string;
}

function tableOf({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const head = header.map(({ tokens }) => `<th scope="col">${inline(tokens)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map(({ tokens }) => `<td>${inline(tokens)}</td>`).join('')}</tr>`,
  );
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}
