import type { routes } from '../../../functions/revisions.ts'
import { type Answers, ok, page } from '../answer.ts'
import { Difference, Explanation, RevisionRow, StoryEntry } from '../shapes/entity.ts'
import { told } from './records.ts'

export const revisions: Answers<typeof routes> = {
  'GET /data/revisions/': { says: 'List the revisions of a record', gives: page(RevisionRow) },
  'GET /data/revisions/{id}/': { says: 'Read a revision', gives: ok(RevisionRow) },
  'GET /data/revisions/{id}/entity_history/': {
    says: 'List the revisions of the record that a revision is of',
    gives: page(RevisionRow),
  },
  'GET /data/entities/{entity_id}/diff/': { says: 'Compare two revisions', gives: ok(Difference) },
  'GET /data/entities/{entity_id}/explain/': {
    says: 'Tell why values are what they are',
    more: 'For each property: the value that stands, the claim it rests on, the rule and the decision that made it so, and its rivals.',
    gives: ok(Explanation),
    refuses: [],
  },
  'GET /data/entities/{entity_id}/history/': {
    says: 'Tell what has changed of a record',
    more: told,
    gives: page(StoryEntry),
  },
}
