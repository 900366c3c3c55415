import type { routes } from '../../../functions/flags.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import { ReviewFlag } from '../shapes/entity.ts'

export const flags: Answers<typeof routes> = {
  'GET /data/review-flags/': {
    says: 'List the flags',
    more: 'Of a record that the caller may not see, only the type of the flag and its state are told.',
    gives: page(ReviewFlag),
  },
  'POST /data/review-flags/': { says: 'Raise a flag', gives: made(ReviewFlag), refuses: [409] },
  'GET /data/review-flags/{id}/': { says: 'Read a flag', gives: ok(ReviewFlag) },
  'PUT /data/review-flags/{id}/': { says: 'Replace a flag', gives: ok(ReviewFlag) },
  'PATCH /data/review-flags/{id}/': { says: 'Change a flag', gives: ok(ReviewFlag) },
  'DELETE /data/review-flags/{id}/': {
    says: 'Delete a flag',
    more: 'So whoever raised it withdraws it.',
    gives: nothing,
  },
  'POST /data/review-flags/{id}/resolve/': { says: 'Resolve a flag', gives: ok(ReviewFlag) },
}
