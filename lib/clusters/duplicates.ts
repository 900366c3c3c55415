import type { Kind, KindKey } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { cut } from '../matching/cut.ts'
import { fold, genericWords, isGeneric } from '../matching/fold.ts'
import { similarity } from '../matching/likeness.ts'
import { readEntry } from '../names/index.ts'
import { type Actor, scopeOf } from '../permissions.ts'
import type { RecordItem } from '../records/items.ts'
import { modelIfAny } from '../search/open.ts'
import { meaningOf } from '../search/synonyms.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, queryBetween } from '../table/read.ts'
import { CLUSTER_NAMES, type Cluster, clustersOf, headsOf, isShown, membership } from './clusters.ts'

/** Something that a new record may be about already: a cluster, or a record that is in none. `members` are those that the caller may see. */
export type Rival = { cluster: Cluster | null; kind: KindKey; members: RecordItem[]; score: number }

/** From here on two names are held to mean the same thing. */
export const ALIKE = 0.85
/** Below this a name is not worth showing. */
const WORTH_SHOWING = 0.75
/** How many names are read for each kind, how many records are followed, and how many results are given. */
const MOST_READ = 200
const MOST_FOLLOWED = 60
const MOST_SHOWN = 20

/**
 * Clusters and lone records whose name begins with a text or is spelt nearly like it, most alike first, empty ones last of equals. What was
 * made a moment ago is found by how its name begins, everything else wherever it is spelt otherwise. Costs one call per kind
 * (two when only one is asked for), one for the search model, and five or six for what they name.
 */
export async function rivalsOf(text: string, among: readonly Kind[], actor: Actor): Promise<Rival[]> {
  const folded = fold(text)
  if (folded === '') return []
  const meaning = meaningOf(text)
  const places = [...among.map((kind) => kind.key), CLUSTER_NAMES]
  // A typo at the end of a word is found among the names that begin alike; over all kinds that would read too much.
  const beginnings = among.length === 1 ? [folded, cut(folded, 3)] : [folded]
  const [entries, near] = await Promise.all([
    Promise.all(
      places.flatMap((kind) =>
        beginnings.map((begin) => queryBetween(key.name(kind, begin, '').pk, begin, `${begin}\u{10ffff}`, MOST_READ)),
      ),
    ),
    nearlySpelt(text, among, actor),
  ])
  const scores = new Map<string, number>()
  const clusterIds = new Set<string>()
  for (const entry of [...entries.flat().map(readEntry), ...near]) {
    const alike = (name: string) => Math.max(likeness(folded, fold(name)), meaningOf(name) === meaning ? 0.99 : 0)
    const score = Math.max(...entry.names.map(alike))
    if (score < WORTH_SHOWING) continue
    scores.set(entry.entity_id, score)
    if (entry.kind === 'entity_cluster') clusterIds.add(entry.entity_id)
  }
  const best = [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0)).slice(0, MOST_FOLLOWED)
  const rivals = await follow(best, clusterIds, actor)
  const kindKeys = new Set(among.map((kind) => kind.key))
  return rivals
    .filter((it) => kindKeys.has(it.kind))
    .map((it) => ({ ...it, score: scoreOf(it, scores) }))
    .filter((it) => it.score >= WORTH_SHOWING)
    .sort((a, b) => b.score - a.score || b.members.length - a.members.length)
    .slice(0, MOST_SHOWN)
}

type NamedRecord = { entity_id: string; kind: string; names: readonly string[] }

/** What the search model takes for nearly the same name. Without a model what the table tells has to do. */
async function nearlySpelt(text: string, among: readonly Kind[], actor: Actor): Promise<NamedRecord[]> {
  const resources = among.map((kind) => resourceOf(kind.key))
  if (resources.length === 0) return []
  const model = await modelIfAny()
  const found = await model?.search({ text, literal: true, scope: scopeOf(actor), resources, limit: MOST_FOLLOWED })
  return (found?.hits ?? []).map(({ id, title, names }) => ({
    entity_id: id,
    kind: 'record',
    names: [title, ...names],
  }))
}

/** Whether a text says only what sort of thing it is, so that equal names are no likeness. */
export const saysNothing = (text: string) => isGeneric(fold(text))

/** The clusters among the ids and of the records among them, then the records that are in none. */
async function follow(
  ids: readonly string[],
  clusterIds: ReadonlySet<string>,
  actor: Actor,
): Promise<Omit<Rival, 'score'>[]> {
  const recordIds = ids.filter((id) => !clusterIds.has(id))
  const homes = await homesOf(recordIds)
  const clusters = await clustersOf([...ids.filter((id) => clusterIds.has(id)), ...homes.values()])
  const lone = recordIds.filter((id) => !homes.has(id))
  const heads = await headsOf([...lone, ...clusters.flatMap((it) => it.members)])
  const shown = (id: string) => {
    const it = heads.get(id)
    return it && isShown(it, actor) ? [it] : []
  }
  return [
    ...clusters.map((it) => ({ cluster: it, kind: it.kind, members: it.members.flatMap(shown) })),
    ...lone.flatMap(shown).map((it) => ({ cluster: null, kind: it.kind, members: [it] })),
  ]
}

/** In which cluster each record is; records that are in none are left out. */
async function homesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const found = await getMany(ids.map(key.clustered))
  return new Map([...found.values()].map((item) => parse(membership, item)).map((it) => [it.entity_id, it.cluster_id]))
}

/** Two folded names: how nearly alike they are spelt, whole or, which is a little less, without the words that many names share. */
function likeness(a: string, b: string): number {
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

/** What the caller may not see adds nothing. */
const scoreOf = ({ cluster, members }: Omit<Rival, 'score'>, scores: ReadonlyMap<string, number>) =>
  Math.max(...[cluster?.id, ...members.map((it) => it.entity_id)].map((id) => scores.get(id ?? '') ?? 0))
