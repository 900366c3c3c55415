import type { HeaderName } from '../lib/platform/http/answer.ts'

/** Headers that only some answers have. The introduction of the document describes the others. */
export const headers = {
  ETag: { description: 'The version, for If-Match and If-None-Match.', schema: { type: 'string' } },
  'Content-Language': { description: 'The language of its texts.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'Sent where the key came before: this is the answer of then.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Cache': {
    description: 'Whether the answer was kept; for callers who are signed in none is.',
    schema: { type: 'string', enum: ['hit', 'miss', 'bypass'] },
  },
  Link: {
    description:
      'Where else to go: of an image its canonical address, of a record its citation, its forms and its past states.',
    schema: { type: 'string' },
  },
  'Memento-Datetime': { description: 'The moment of the state that is shown.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  'X-HG-Schema-Source': { description: 'Where the registry comes from.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to sign in.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
} as const satisfies Record<HeaderName, object>
