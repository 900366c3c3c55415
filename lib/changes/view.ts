import { cluster } from '../clusters/clusters.ts'
import { kinds } from '../kinds/index.ts'
import { iriOf, recordIri } from '../linked/iri.ts'
import { isLink } from '../names/text.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { type Shown, shownTo } from '../records/shown.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import type { ChangeSort, Entry } from './items.ts'
import { isTold, publicAmong } from './state.ts'

/** What a change says of records that a cluster holds together. */
const ofClusters: Readonly<Record<ChangeSort, string>> = {
  created: 'merged',
  updated: 'merged',
  withdrawn: 'separated',
}

/** A change as JSON. It names the thing; what the thing is now stands at its address, and beside it where that is asked for. */
export const changeView = (it: Entry, origin: string) => ({
  number: it.number,
  at: it.at,
  change: it.kind === 'entity_cluster' ? ofClusters[it.change] : it.change,
  kind: it.kind,
  id: kinds[it.kind].record ? Number(it.object_pk) : it.object_pk,
  cultural_entity_id: it.kind === 'entity_cluster' ? null : it.id,
  url: iriOf(origin, it.kind, it.object_pk),
})

/** The same changes with what the things are now, as everyone may read them: null for what is withdrawn meanwhile. */
export async function withThings(entries: readonly Entry[], origin: string) {
  const { records, clusters } = await thingsNow(entries, origin)
  return entries.map((it) => ({
    ...changeView(it, origin),
    ...(it.kind === 'entity_cluster'
      ? { record: null, members: clusters.get(it.id) ?? [] }
      : { record: records.get(it.id) ?? null, members: [] }),
  }))
}

type About = Pick<Entry, 'id' | 'kind'>

/** What things are now, as everyone may read them, by id: records, and the addresses of what clusters hold together. */
export const thingsNow = async (about: readonly About[], origin: string) => ({
  records: await recordsOf(about),
  clusters: await clustersOf(about, origin),
})

/** Records by their review identities. Two calls, and one for each further hundred things that they name. */
async function recordsOf(entries: readonly About[]): Promise<Map<string, ReturnType<typeof mirrored>>> {
  const ids = [...new Set(entries.flatMap(({ id, kind }) => (kind === 'entity_cluster' ? [] : [id])))]
  const found = await getMany(ids.map(key.head), true)
  const heads = ids.flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
  const shown = await shownTo(null, heads.filter(isTold))
  return new Map(shown.map((it) => [it.entity_id, mirrored(it)]))
}

/** The addresses of the public members of clusters. */
async function clustersOf(entries: readonly About[], origin: string): Promise<Map<string, string[]>> {
  const ids = [...new Set(entries.flatMap(({ id, kind }) => (kind === 'entity_cluster' ? [id] : [])))]
  const found = await getMany(ids.map(key.cluster), true)
  const clusters = ids.flatMap((id) => itemIn(found, cluster, { id }) ?? [])
  const members = await getMany([...new Set(clusters.flatMap((it) => it.members))].map(key.head), true)
  return new Map(clusters.map((it) => [it.id, publicAmong(it.members, members).map((head) => recordIri(origin, head))]))
}

/**
 * A public record as a mirror holds it. What it says depends on itself and on which of the things that it names are public,
 * and on nothing else: not on what they are called today.
 */
function mirrored(it: Shown<RecordItem>) {
  const kind = kinds[it.kind]
  return {
    kind: it.kind,
    id: kind.record ? it.id : it.entity_id,
    cultural_entity_id: it.entity_id,
    name: it.name,
    category: it.category,
    latitude: it.point?.lat ?? null,
    longitude: it.point?.lng ?? null,
    values: Object.fromEntries(
      Object.entries(it.data).map(([name, value]) => {
        const to = kind.fields[name]?.relation
        return [name, to && Array.isArray(value) ? value.filter(isLink).map((link) => endOf(to, link)) : value]
      }),
    ),
  }
}

/** A public thing goes by its id, any other by the words of the contributor. */
const endOf = (kind: string, { id, name }: { id: unknown; name: string }) => (id === null ? { name } : { kind, id })
