/**
 * Superlatives of one meaning. The first word is that of the question in any form; documents that hold one of the row come first, since
 * records have no figure of size or height.
 */
export const superlatives: readonly (readonly string[])[] = [
  [
    'biggest',
    'largest',
    'greatest',
    'huge',
    'giant',
    'big',
    'large',
    'thulo',
    'sabse bada',
    'sabse badi',
    'ठूलो',
    'सबैभन्दा ठूलो',
  ],
  ['tallest', 'highest', 'tall', 'aglo', 'sabse uncha', 'अग्लो', 'सबैभन्दा अग्लो'],
  ['longest', 'long'],
  ['smallest', 'tiny', 'miniature'],
  ['deepest', 'deep'],
  ['widest', 'wide'],
  ['heaviest', 'heavy'],
]
