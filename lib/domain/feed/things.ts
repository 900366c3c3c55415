import { getMany, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { cluster } from '../clusters/items.ts'
import { kinds } from '../kinds/index.ts'
import { withLabels } from '../labels/labels.ts'
import { isLink } from '../names/text.ts'
import { recordIri } from '../records/iri.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { showRecords, type Visible } from '../records/shown.ts'
import type { FeedEntry } from './items.ts'
import { isInFeed, publicAmong } from './state.ts'
import { changeView } from './view.ts'

/** Changes with the things as everyone may read them now. `record` is null if it has been withdrawn since. */
export async function withThings(entries: readonly FeedEntry[], origin: string) {
  const { records, clusters } = await thingsNow(entries, origin)
  return entries.map((it) => ({
    ...changeView(it, origin),
    ...(it.kind === 'entity_cluster'
      ? { record: null, members: clusters.get(it.id) ?? [] }
      : { record: records.get(it.id) ?? null, members: [] }),
  }))
}

type About = Pick<FeedEntry, 'id' | 'kind'>

/** Things as everyone may read them now, by id: records, and for clusters the addresses of their members. */
export const thingsNow = async (about: readonly About[], origin: string) => ({
  records: await recordsOf(about),
  clusters: await clustersOf(about, origin),
})

/** Records by review identity. Two calls, and one more for each further hundred records that they link to. */
async function recordsOf(entries: readonly About[]): Promise<Map<string, ReturnType<typeof mirrorView>>> {
  const ids = [...new Set(entries.flatMap(({ id, kind }) => (kind === 'entity_cluster' ? [] : [id])))]
  const found = await getMany(ids.map(key.head), true)
  const heads = ids.flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
  const shown = await showRecords(null, heads.filter(isInFeed))
  return new Map(shown.map((it) => [it.entity_id, mirrorView(it)]))
}

/** The addresses of the public members of clusters, by the id of the cluster. */
async function clustersOf(entries: readonly About[], origin: string): Promise<Map<string, string[]>> {
  const ids = [...new Set(entries.flatMap(({ id, kind }) => (kind === 'entity_cluster' ? [id] : [])))]
  const found = await getMany(ids.map(key.cluster), true)
  const clusters = ids.flatMap((id) => itemIn(found, cluster, { id }) ?? [])
  const members = await getMany([...new Set(clusters.flatMap((it) => it.members))].map(key.head), true)
  return new Map(clusters.map((it) => [it.id, publicAmong(it.members, members).map((head) => recordIri(origin, head))]))
}

/**
 * A public record as a mirror stores it. It depends on the record and on which of its links are public. It does not depend on the
 * present names of other things.
 */
function mirrorView(it: Visible<RecordItem>) {
  const kind = kinds[it.kind]
  return {
    kind: it.kind,
    id: kind.record ? it.id : it.entity_id,
    cultural_entity_id: it.entity_id,
    name: it.name,
    category: it.category,
    latitude: it.point?.lat ?? null,
    longitude: it.point?.lng ?? null,
    ...withLabels(it.labels),
    values: Object.fromEntries(
      Object.entries(it.data).map(([name, value]) => {
        const to = kind.fields[name]?.relation
        return [name, to && Array.isArray(value) ? value.filter(isLink).map((link) => endOf(to, link)) : value]
      }),
    ),
  }
}

/** A link to a public thing shows its id. Any other link shows the contributor's words. */
const endOf = (kind: string, { id, name }: { id: unknown; name: string }) => (id === null ? { name } : { kind, id })
