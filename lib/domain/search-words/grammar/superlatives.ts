/**
 * Superlatives, one row for each meaning. Records have no figure of size or height. So a question with a word of a row ranks documents
 * first that contain any word of the row.
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
