import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BASE64URL_LENGTH, readUuid, writeBase64url } from './block-mac.ts';

it('reads every UUID as its bytes', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat({ max: 8 }), fc.nat({ max: 8 }), (uuid, from, at) => {
      const block = Buffer.alloc(24);
      readUuid(Buffer.from(' '.repeat(from) + uuid), from, block, at);
      expect(block.toString('hex', at, at + 16)).toBe(uuid.replaceAll('-', ''));
    }),
  );
});

it('writes every block as base64url', () => {
  const blocks = fc.uint8Array({ minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(blocks, fc.nat({ max: 8 }), fc.nat({ max: 8 }), (block, from, at) => {
      const text = Buffer.alloc(at + BASE64URL_LENGTH);
      writeBase64url(block, from, text, at);
      expect(text.toString('latin1', at)).toBe(
        Buffer.from(block).toString('base64url', from, from + 16),
      );
    }),
  );
});
