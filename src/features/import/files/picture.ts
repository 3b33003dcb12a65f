/**
 * Recognizes the extension of a picture by its first bytes; undefined if Stave does not serve the
 * format.
 */
export function pictureExtension(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16));
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) {
    return 'png';
  }
  if (text.startsWith('\xff\xd8\xff')) {
    return 'jpg';
  }
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) {
    return 'gif';
  }
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') {
    return 'webp';
  }
  // ISO base media file format: the brand of still or moving AVIF.
  return /^ftypavi[fs]/.test(text.slice(4)) ? 'avif' : undefined;
}
