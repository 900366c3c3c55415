import * as v from 'valibot'
import type { Scope } from '../permissions.ts'
import { headingIn, namesForEntry, QUEUED, Waiting } from '../records/queue-entry.ts'
import { ageAt } from '../records/rules/triage.ts'
import { modelIfAny } from '../search/open.ts'
import type { Hit } from '../search/query.ts'

/** At most this many entries are filtered and sorted for one search, the best first; a text that more entries hold finds some of them. */
const MOST_FOUND = 10_000

const everything: Scope = { signedIn: true, everything: true, own: null }

/** What waits under a name that a text finds, as search knows it: a moment ago. No call; undefined where there is no search. */
export async function searchQueue(text: string, at: number): Promise<Waiting[] | undefined> {
  const model = await modelIfAny()
  const found = await model?.search({ text, literal: true, scope: everything, resources: [QUEUED], limit: MOST_FOUND })
  return found?.hits.map((it) => waitingIn(it, at))
}

const waitingIn = (it: Hit, at: number): Waiting =>
  v.parse(Waiting, {
    ...headingIn(it.category ?? ''),
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
