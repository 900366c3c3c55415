import type { routes } from '../../../functions/exports.ts'
import { type Answers, ok } from '../answer.ts'
import { Exports } from '../shapes/service.ts'

export const exports: Answers<typeof routes> = {
  'GET /data/exports/': {
    says: 'List the files of all that is published',
    more: 'JSON Lines and CSV of each kind, with the provenance of every value. An address is good for an hour.',
    gives: ok(Exports),
  },
}
