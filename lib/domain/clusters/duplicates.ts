import '../search-words/name-words.ts'
import {
  cut,
  fold,
  genericWords,
  looksAlike,
  type NamedPlace,
  type Point,
  similarity,
} from '../../engines/matching/index.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import { meaningOf } from '../../engines/search/synonyms.ts'
import { getMany, parse, queryBetween } from '../../engines/table/index.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Kind, KindKey } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { namesOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import { withOneTown } from '../records/likeness/known-towns.ts'
import { findLookAlikes } from '../records/likeness/look-alikes.ts'
import { visiblePoint } from '../records/place.ts'
import { CLUSTER_NAMES, isVisibleMember, loadClusters, loadRecords } from './clusters.ts'
import type { Cluster } from './items.ts'
import { membership } from './memberships.ts'

/**
 * A cluster, or a record that is in no cluster, that a new record may duplicate. `members`: those the caller may see. `alike`: a new record
 * of this name, at this point, would be flagged as its duplicate.
 */
export type DuplicateCandidate = {
  cluster: Cluster | null
  kind: KindKey
  members: RecordItem[]
  score: number
  alike: boolean
}

/** A candidate that is alike gets at least this score, however its name compares. Equal names have 1. */
const ALIKE = 0.85
/** A candidate with a lower score is not shown. */
const LEAST_SCORE = 0.75
/** Entries of the name index that are read of each kind. */
const ENTRIES_PER_KIND = 200
/** The most names whose records are loaded. The most similar ones come first. */
const NAMES_FOLLOWED = 60
const MAX_CANDIDATES = 20

/**
 * Finds clusters and lone records that a new record with this name, and at this point, may duplicate, the most similar first. `alike`
 * follows the rule of the flag `suspected_duplicate` (README.md of lib/domain/records). Other candidates only begin or sound alike.
 *
 * 1. The name index yields names that begin like the text. It is current to the moment.
 * 2. Search yields names that are spelt nearly alike anywhere. It is a second behind.
 * 3. If `among` is one kind, the look-alikes of a new record are added: those near the point, and those of another spelling.
 * 4. Each name gets a score. Names below `LEAST_SCORE` are dropped, unless they are alike.
 * Costs one query for each kind and one for clusters. If `among` is one kind, it costs four queries and those of `findLookAlikes`. Then
 * come one search, and three reads of memberships, clusters and records.
 */
export async function findDuplicates(
  text: string,
  among: readonly Kind[],
  actor: Actor | null,
  point?: Point,
): Promise<DuplicateCandidate[]> {
  const folded = fold(text)
  if (folded === '') return []
  const meaning = meaningOf(text)
  const indexedKinds = [...among.map((kind) => kind.key), CLUSTER_NAMES]
  // A shorter beginning also finds a typo at the end of a word. For all kinds at once it would read too much.
  const beginnings = among.length === 1 ? [folded, cut(folded, 3)] : [folded]
  const [only] = among.length === 1 ? among : []
  const subject = { names: [text], point }
  const [entries, similar, lookAlikes] = await Promise.all([
    Promise.all(
      indexedKinds.flatMap((kind) =>
        beginnings.map((begin) =>
          queryBetween(key.name(kind, begin, '').pk, begin, `${begin}\u{10ffff}`, ENTRIES_PER_KIND),
        ),
      ),
    ),
    searchSimilarNames(text, among, actor),
    only ? findLookAlikes({ kind: only.key, ...subject }, withOneTown) : [],
  ])
  const scores = new Map<string, number>()
  const clusterIds = new Set<string>()
  for (const entry of [...entries.flat().map(readEntry), ...similar]) {
    const likeness = (name: string) =>
      Math.max(nameSimilarity(folded, fold(name)), meaningOf(name) === meaning ? 0.99 : 0)
    const score = Math.max(...entry.names.map(likeness))
    if (score < LEAST_SCORE) continue
    scores.set(entry.entity_id, score)
    if (entry.kind === CLUSTER_NAMES) clusterIds.add(entry.entity_id)
  }
  for (const { entity_id } of lookAlikes) scores.set(entity_id, Math.max(ALIKE, scores.get(entity_id) ?? 0))
  const best = [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0)).slice(0, NAMES_FOLLOWED)
  const candidates = await groupByCluster(best, clusterIds, actor)
  const kindKeys = new Set(among.map((kind) => kind.key))
  const ofKinds = candidates.filter((candidate) => kindKeys.has(candidate.kind))
  const alikes = await Promise.all(ofKinds.map((candidate) => isAlike(candidate, subject, actor)))
  return ofKinds
    .map((candidate, i) => {
      const alike = alikes[i] === true
      return { ...candidate, alike, score: Math.max(scoreOf(candidate, scores), alike ? ALIKE : 0) }
    })
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score || b.members.length - a.members.length)
    .slice(0, MAX_CANDIDATES)
}

type NamedRecord = { entity_id: string; kind: string; names: readonly string[] }

/** Finds records with names that are spelt nearly alike. Returns none if search has no snapshot yet. */
async function searchSimilarNames(text: string, among: readonly Kind[], actor: Actor | null): Promise<NamedRecord[]> {
  const resources = among.map((kind) => resourceOf(kind.key))
  if (resources.length === 0) return []
  const model = await openSearchModelIfAny()
  const answer = await model?.search({ text, literal: true, scope: scopeOf(actor), resources, limit: NAMES_FOLLOWED })
  return (answer?.hits ?? []).map(({ id, title, names }) => ({
    entity_id: id,
    kind: 'record',
    names: [title, ...names],
  }))
}

/** Whether a new record would look like a member that the caller may see, or is called like the cluster. */
async function isAlike(
  { cluster, members }: Pick<DuplicateCandidate, 'cluster' | 'members'>,
  subject: NamedPlace,
  actor: Actor | null,
): Promise<boolean> {
  const others: NamedPlace[] = [
    ...members.map((it) => ({ names: namesOf(it.name, it.data), point: visiblePoint(it, actor) ?? undefined })),
    ...(cluster ? [{ names: [cluster.canonical_label, ...cluster.curated_aliases] }] : []),
  ]
  const compared = await withOneTown(
    subject.names,
    others.map(({ names }) => names),
  )
  return others.some((other, i) => looksAlike(subject, { ...other, names: compared[i] ?? other.names }) !== undefined)
}

/** Loads the candidates for ids of clusters and records. A record in a cluster becomes that cluster. Lone records follow. */
async function groupByCluster(
  ids: readonly string[],
  clusterIds: ReadonlySet<string>,
  actor: Actor | null,
): Promise<Omit<DuplicateCandidate, 'score' | 'alike'>[]> {
  const recordIds = ids.filter((id) => !clusterIds.has(id))
  const clusterOf = await loadClusterIds(recordIds)
  const clusters = await loadClusters([...ids.filter((id) => clusterIds.has(id)), ...clusterOf.values()])
  const lone = recordIds.filter((id) => !clusterOf.has(id))
  const records = await loadRecords([...lone, ...clusters.flatMap(({ members }) => members)])
  const visibleRecord = (id: string) => {
    const record = records.get(id)
    return record && isVisibleMember(record, actor) ? [record] : []
  }
  return [
    ...clusters.map((cluster) => ({ cluster, kind: cluster.kind, members: cluster.members.flatMap(visibleRecord) })),
    ...lone.flatMap(visibleRecord).map((record) => ({ cluster: null, kind: record.kind, members: [record] })),
  ]
}

/** Loads the id of the cluster of each record that is in one, by review identity. */
async function loadClusterIds(ids: readonly string[]): Promise<Map<string, string>> {
  const items = await getMany(ids.map(key.clustered))
  const memberships = [...items.values()].map((item) => parse(membership, item))
  return new Map(memberships.map(({ entity_id, cluster_id }) => [entity_id, cluster_id]))
}

/**
 * Returns how alike two folded names are spelt, from 0 to 1. Likeness without generic words ("mandir") counts a little
 * less. A name `b` that begins with `a` is always shown.
 */
function nameSimilarity(a: string, b: string): number {
  const [ownA, ownB] = [ownWords(a), ownWords(b)]
  return Math.max(similarity(a, b), b.startsWith(a) ? LEAST_SCORE : 0, ownA && ownB ? 0.99 * similarity(ownA, ownB) : 0)
}

const ownWords = (folded: string) =>
  folded
    .split(' ')
    .filter((word) => !genericWords().has(word))
    .join(' ')

/** The best score of a candidate's names: those of the cluster, and those of members that the caller may see. */
const scoreOf = (
  { cluster, members }: Pick<DuplicateCandidate, 'cluster' | 'members'>,
  scores: ReadonlyMap<string, number>,
) => Math.max(...[cluster?.id, ...members.map(({ entity_id }) => entity_id)].map((id) => scores.get(id ?? '') ?? 0))
