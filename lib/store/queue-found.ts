import { withheld } from '../domain/status.ts'
import { kindKeys } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import type { Scope } from '../permissions.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany } from '../table/read.ts'
import { modelIfAny } from './found.ts'
import { byAge, type Waiting } from './queue.ts'

/** So many of each are followed: records that are not published yet, and published ones, of which few have an edit that waits. */
const MOST_FOUND = 500

const everything: Scope = { signedIn: true, everything: true, own: null }

/** What waits among the records that a text finds, the best first of each. One call for each hundred that the search model finds. */
export async function waitingFor(text: string): Promise<Waiting[]> {
  const model = await modelIfAny()
  if (!model) return []
  const ask = { text, scope: everything, resources: kindKeys.map(resourceOf), limit: MOST_FOUND }
  const unpublished = model.search({
    ...ask,
    published: false,
    statuses: withheld.filter((it) => it.startsWith('pending')),
  })
  const published = model.search({ ...ask, published: true })
  const found = await getMany([...unpublished.hits, ...published.hits].map((it) => key.queued(it.id, 'AGE')))
  return [...found.values()].map((stored) => parse(byAge, stored))
}
