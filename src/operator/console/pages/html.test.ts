import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, rawHtml } from './html.ts';

describe('html', () => {
  it('escapes values, and takes HTML as it is', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<p title="${'"x\''}">${inner}${rawHtml('<hr>')}</p>`.toString()).toBe(
      '<p title="&quot;x&#39;"><b>&lt;i&gt;</b><hr></p>',
    );
  });

  it('joins lists, and leaves out what is absent', () => {
    const list = [1, 'a', null, undefined, false as const, html`<br>`];
    expect(html`${list}`.toString()).toBe('1a<br>');
  });

  it('contains no sign of HTML of a text, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.toString()).not.toMatch(/[<>"'\0\u202e]/);
      }),
    );
  });

  it('replaces marks of direction', () => {
    expect(html`${'a\u202eb'}`.toString()).toBe('a\uFFFDb');
  });
});
