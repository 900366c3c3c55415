import { cut, fold, genericWords, isGeneric, similarity } from '../../engines/matching/index.ts'
import { meaningOf, openSearchModelIfAny } from '../../engines/search/index.ts'
import { getMany, parse, queryBetween } from '../../engines/table/index.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Kind, KindKey } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import type { RecordItem } from '../records/items.ts'
import { CLUSTER_NAMES, type Cluster, isVisibleMember, loadClusters, loadRecords, membership } from './clusters.ts'

/** What a new record may duplicate: a cluster, or a record that is in none. `members` holds those that the caller may see. */
export type Candidate = { cluster: Cluster | null; kind: KindKey; members: RecordItem[]; score: number }

/** From this score on, two names mean the same thing. 1 is equal. */
export const SAME_NAME = 0.85
/** Names with a lower score are not shown. */
const WORTH_SHOWING = 0.75
/** The most names that are read of each kind, the most that are followed to their records, and the most results. */
const MOST_READ = 200
const MOST_FOLLOWED = 60
const MOST_SHOWN = 20

/**
 * Finds what a new record with this name may duplicate: clusters, and records that are in none. The most similar come first.
 *
 * 1. The index of names yields names that begin like the text. It is current to the moment.
 * 2. Search yields names that are spelt nearly alike anywhere. It is a second behind.
 * 3. Each name gets a score; names below `WORTH_SHOWING` are dropped.
 *
 * Costs one query for each kind and one for clusters; two each if there is only one kind. Then one search, and three reads
 * of memberships, clusters and records.
 */
export async function findCandidates(text: string, among: readonly Kind[], actor: Actor): Promise<Candidate[]> {
  const folded = fold(text)
  if (folded === '') return []
  const meaning = meaningOf(text)
  const places = [...among.map((kind) => kind.key), CLUSTER_NAMES]
  // A shorter beginning also finds a typo at the end of a word. Over all kinds that would read too much.
  const beginnings = among.length === 1 ? [folded, cut(folded, 3)] : [folded]
  const [entries, near] = await Promise.all([
    Promise.all(
      places.flatMap((kind) =>
        beginnings.map((begin) => queryBetween(key.name(kind, begin, '').pk, begin, `${begin}\u{10ffff}`, MOST_READ)),
      ),
    ),
    searchSimilarNames(text, among, actor),
  ])
  const scores = new Map<string, number>()
  const clusterIds = new Set<string>()
  for (const entry of [...entries.flat().map(readEntry), ...near]) {
    const alike = (name: string) => Math.max(nameSimilarity(folded, fold(name)), meaningOf(name) === meaning ? 0.99 : 0)
    const score = Math.max(...entry.names.map(alike))
    if (score < WORTH_SHOWING) continue
    scores.set(entry.entity_id, score)
    if (entry.kind === 'entity_cluster') clusterIds.add(entry.entity_id)
  }
  const best = [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0)).slice(0, MOST_FOLLOWED)
  const rivals = await groupByCluster(best, clusterIds, actor)
  const kindKeys = new Set(among.map((kind) => kind.key))
  return rivals
    .filter((it) => kindKeys.has(it.kind))
    .map((it) => ({ ...it, score: scoreOf(it, scores) }))
    .filter((it) => it.score >= WORTH_SHOWING)
    .sort((a, b) => b.score - a.score || b.members.length - a.members.length)
    .slice(0, MOST_SHOWN)
}

type NamedRecord = { entity_id: string; kind: string; names: readonly string[] }

/** Names that search finds nearly alike. None without a search model. */
async function searchSimilarNames(text: string, among: readonly Kind[], actor: Actor): Promise<NamedRecord[]> {
  const resources = among.map((kind) => resourceOf(kind.key))
  if (resources.length === 0) return []
  const model = await openSearchModelIfAny()
  const found = await model?.search({ text, literal: true, scope: scopeOf(actor), resources, limit: MOST_FOLLOWED })
  return (found?.hits ?? []).map(({ id, title, names }) => ({
    entity_id: id,
    kind: 'record',
    names: [title, ...names],
  }))
}

/** Whether a name only says what sort of thing it is ("mandir"): equal names are then no sign of a duplicate. */
export const isGenericName = (text: string) => isGeneric(fold(text))

/** Candidates for ids of clusters and records. A record in a cluster becomes that cluster; lone records follow. */
async function groupByCluster(
  ids: readonly string[],
  clusterIds: ReadonlySet<string>,
  actor: Actor,
): Promise<Omit<Candidate, 'score'>[]> {
  const recordIds = ids.filter((id) => !clusterIds.has(id))
  const homes = await loadClusterIds(recordIds)
  const clusters = await loadClusters([...ids.filter((id) => clusterIds.has(id)), ...homes.values()])
  const lone = recordIds.filter((id) => !homes.has(id))
  const heads = await loadRecords([...lone, ...clusters.flatMap((it) => it.members)])
  const shown = (id: string) => {
    const it = heads.get(id)
    return it && isVisibleMember(it, actor) ? [it] : []
  }
  return [
    ...clusters.map((it) => ({ cluster: it, kind: it.kind, members: it.members.flatMap(shown) })),
    ...lone.flatMap(shown).map((it) => ({ cluster: null, kind: it.kind, members: [it] })),
  ]
}

/** The cluster of each record that is in one. */
async function loadClusterIds(ids: readonly string[]): Promise<Map<string, string>> {
  const found = await getMany(ids.map(key.clustered))
  return new Map([...found.values()].map((item) => parse(membership, item)).map((it) => [it.entity_id, it.cluster_id]))
}

/**
 * How alike two folded names are spelt. Likeness without generic words ("mandir") counts a little less. A name that
 * begins with `a` is always worth showing.
 */
function nameSimilarity(a: string, b: string): number {
  const [ownA, ownB] = [ownWords(a), ownWords(b)]
  return Math.max(
    similarity(a, b),
    b.startsWith(a) ? WORTH_SHOWING : 0,
    ownA && ownB ? 0.99 * similarity(ownA, ownB) : 0,
  )
}

const ownWords = (folded: string) =>
  folded
    .split(' ')
    .filter((word) => !genericWords().has(word))
    .join(' ')

/** Only members that the caller may see count. */
const scoreOf = ({ cluster, members }: Omit<Candidate, 'score'>, scores: ReadonlyMap<string, number>) =>
  Math.max(...[cluster?.id, ...members.map((it) => it.entity_id)].map((id) => scores.get(id ?? '') ?? 0))
