import * as v from 'valibot'
import type { Scope } from '../../base/visibility.ts'
import type { Hit } from '../../engines/search/index.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import { namesForEntry, parseQueueHeading, QUEUE_RESOURCE, QueueEntry } from '../records/queue-entry.ts'
import { ageAt } from '../records/rules/triage.ts'

/** The most entries that one search yields, the best first. A text that fits more finds only these. */
const MOST_FOUND = 10_000

const everything: Scope = { signedIn: true, everything: true, own: null }

/** The waiting entries whose names match a text, as search knew them a moment ago. Undefined without a search model. */
export async function searchQueue(text: string, at: number): Promise<QueueEntry[] | undefined> {
  const model = await openSearchModelIfAny()
  const found = await model?.search({
    text,
    literal: true,
    scope: everything,
    resources: [QUEUE_RESOURCE],
    limit: MOST_FOUND,
  })
  return found?.hits.map((it) => waitingIn(it, at))
}

const waitingIn = (it: Hit, at: number): QueueEntry =>
  v.parse(QueueEntry, {
    ...parseQueueHeading(it.category ?? ''),
    entity_id: it.object_pk,
    status: it.status,
    contributor_id: it.contributor_id,
    names: namesForEntry([it.title, ...it.names]),
    open_flags: it.popularity_score,
    age: ageAt(it.created_at, at),
    created_at: it.created_at,
    updated_at: it.updated_at,
    version: 0,
  })
