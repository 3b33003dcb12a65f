// Assembled from bit-kernel.wat by `npm run reference`; not to be edited.

/** The module's 290 bytes in base64. */
export const BIT_KERNEL_BYTES =
  'AGFzbQEAAAABEAJgBH9/f38Bf2ADf39/AX8CEwEEYml0cwZtZW1vcnkCAwGAgAQDAwIAAQcbAglpbnRlcnNlY3QAAA' +
  'tjb3VudENvbW1vbgABCs4BAm8CAX8CeyAAIANqIQQCQANAIAAgBE8NASAB/QAEACAC/QAEAP1OIQUgACAF/QsEACAG' +
  'IAX9Yv19/X/9rgEhBiAAQRBqIQAgAUEQaiEBIAJBEGohAgwACwsgBv0bACAG/RsBaiAG/RsCIAb9GwNqagtcAgF/AX' +
  'sgACACaiEDAkADQCAAIANPDQEgBCAA/QAEACAB/QAEAP1O/WL9ff1//a4BIQQgAEEQaiEAIAFBEGohAQwACwsgBP0b' +
  'ACAE/RsBaiAE/RsCIAT9GwNqags=';
