import * as v from 'valibot'
import type { Scope } from '../../base/visibility.ts'
import type { Hit } from '../../engines/search/index.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import { namesForEntry, QUEUE_RESOURCE, QueueEntry } from '../records/queue-entry.ts'
import { ageAt } from '../records/rules/triage.ts'

/** The most entries that one search returns, the best first. */
const MOST_FOUND = 10_000

const everything: Scope = { signedIn: true, everything: true, own: null }

/** Searches waiting entries by their names. The search index is about a second behind. Undefined without a search model. */
export async function searchQueue(text: string, at: number): Promise<QueueEntry[] | undefined> {
  const model = await openSearchModelIfAny()
  const answer = await model?.search({
    text,
    literal: true,
    scope: everything,
    resources: [QUEUE_RESOURCE],
    limit: MOST_FOUND,
  })
  return answer?.hits.flatMap((hit) => entryOfHit(hit, at) ?? [])
}

/** The entry of a hit. Undefined for a document of an earlier release, which has no payload until its record changes. */
function entryOfHit(hit: Hit, at: number): QueueEntry | undefined {
  const entry = v.safeParse(QueueEntry, {
    ...hit.payload,
    entity_id: hit.object_pk,
    status: hit.status,
    contributor_id: hit.contributor_id,
    names: namesForEntry([hit.title, ...hit.names]),
    age: ageAt(hit.created_at, at),
    created_at: hit.created_at,
    updated_at: hit.updated_at,
    version: 0,
  })
  return entry.success ? entry.output : undefined
}
