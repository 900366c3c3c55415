import '../../domain/search-words/name-words.ts'
import * as v from 'valibot'
import type { Say } from '../../base/language/catalogue.ts'
import * as s from '../../base/shapes.ts'
import type { Scope } from '../../base/visibility.ts'
import { type KindKey, kinds } from '../../domain/kinds/index.ts'
import { kindOfResource, resourceOf } from '../../domain/kinds/resources.ts'
import { textOf } from '../../domain/names/text.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import { nameOneThing } from '../../domain/records/likeness/known-names.ts'
import { visibleRecords } from '../../domain/records/search.ts'
import { showRecords, type Visible } from '../../domain/records/shown.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import { fold, foldAlike, isGeneric, similarity } from '../../engines/matching/index.ts'
import type { Hit, Model } from '../../engines/search/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { matchedKinds, type Type, typeEntry, typeOf } from './manifest.ts'
import { limitOf, type Query } from './queries.ts'

export type MatchCandidate = {
  id: string
  name: string
  description: string
  type: Type[]
  score: number
  match: boolean
}
/** The caller: what they may see, and the language of the answer. */
export type Asker = { actor: Actor | null; scope: Scope; say: Say }

/** Candidates that are scored beyond the requested number, since properties may change their order. */
const FURTHER_CANDIDATES = 10

const candidate = () =>
  v.object({
    ...typeEntry().entries,
    description: s.text,
    type: v.array(typeEntry()),
    score: v.number(),
    match: v.boolean(),
  })
export const CandidatesView = s.shape('Candidates', () =>
  v.record(v.string(), v.object({ result: v.array(candidate()) })),
)

/**
 * Finds the candidates for each query, best first, with scores up to 100. The name counts most. If a query has properties, agreement
 * with them is a third of the score. Queries with properties cost one DynamoDB call for each hundred candidates, and one for each hundred links.
 */
export async function matchQueries(
  model: Model,
  queries: Readonly<Record<string, Query>>,
  { actor, scope, say }: Asker,
): Promise<Map<string, MatchCandidate[]>> {
  const hitsByQuery = new Map<string, Hit[]>()
  for (const [name, query] of Object.entries(queries)) hitsByQuery.set(name, await hitsOf(model, query, scope))
  const detailed = Object.entries(queries).filter(([, { properties = [] }]) => properties.length > 0)
  const hits = detailed.flatMap(([name]) => hitsByQuery.get(name) ?? [])
  const visible = hits.length > 0 ? await visibleRecords(hits, actor) : new Map<string, RecordRow>()
  const records = new Map((await showRecords(actor, [...visible.values()])).map((it) => [it.entity_id, it]))
  const matches = new Map<string, MatchCandidate[]>()
  for (const [name, query] of Object.entries(queries)) {
    const scored: Scored[] = []
    for (const hit of hitsByQuery.get(name) ?? []) {
      const agreed = await agreementOf(query, records.get(hit.id), actor)
      scored.push(scoredHit(hit, query, agreed, say))
    }
    matches.set(name, markMatch(scored.toSorted((a, b) => b.score - a.score)).slice(0, limitOf(query)))
  }
  return matches
}

async function hitsOf(model: Model, query: Query, scope: Scope): Promise<Hit[]> {
  const kindsOfQuery = kindsIn(query.type)
  if (kindsOfQuery.length === 0 || query.query.trim() === '') return []
  const { hits } = await model.search({
    text: query.query,
    scope: { ...scope, everything: false },
    published: true,
    literal: true,
    resources: kindsOfQuery.map(resourceOf),
    limit: limitOf(query) + FURTHER_CANDIDATES,
  })
  return hits
}

/** The kinds of a query's types. All kinds if it has no type, none if its types are unknown. */
function kindsIn(type: Query['type']): readonly KindKey[] {
  const named = type === undefined ? [] : [type].flat().filter((it) => it !== '')
  return named.length === 0 ? matchedKinds : matchedKinds.filter((it) => named.includes(it))
}

type Scored = MatchCandidate & { isNamed: boolean }

function scoredHit(hit: Hit, query: Query, agreed: number | undefined, say: Say): Scored {
  const names = [hit.title, ...hit.names]
  const isNamed = names.some((it) => foldAlike(it, query.query))
  const byName = isNamed ? 1 : Math.min(0.97, hit.score)
  const score = Math.round((agreed === undefined ? byName : (2 * byName + agreed) / 3) * 1000) / 10
  const kind = kindOfResource(hit.resource)
  return {
    id: hit.id,
    name: hit.title,
    description: [kind && say(kinds[kind].label), hit.location_hint || hit.summary]
      .filter(Boolean)
      .join(', ')
      .slice(0, 200),
    type: kind ? [typeOf(kind)] : [],
    score,
    match: false,
    // Without properties a generic name, such as "Shiva mandir", is not a match. With properties, their agreement must exceed 0.5.
    isNamed: isNamed && (agreed === undefined ? !isGeneric(fold(query.query)) : agreed > 0.5),
  }
}

/**
 * The agreement of a record with the properties of a query, from 0 to 1. Two texts also agree if search knows both as names of one thing.
 * Undefined if the query has no properties.
 */
async function agreementOf({ properties = [] }: Query, record: Visible<RecordRow> | undefined, actor: Actor | null) {
  if (properties.length === 0) return undefined
  const data = record ? visibleValuesAndPoint(record, actor).data : {}
  const compared = properties.map(({ pid, v: value }) => ({ own: textOf(data[pid]), texts: wordsIn(value) }))
  const scores = compared.map(({ own, texts }) => likeness(own, texts))
  const pairs = compared.flatMap(({ own, texts }, i) =>
    own === '' || scores[i] === 1 ? [] : texts.map((text) => ({ i, names: [own, text] as const })),
  )
  const same = await nameOneThing(
    pairs.map(({ names }) => names),
    actor,
  )
  for (const [at, { i }] of pairs.entries()) if (same[at]) scores[i] = 1
  return scores.reduce((sum, it) => sum + it, 0) / scores.length
}

/** The likeness of a record's value to the most similar of the texts that a client sent, from 0 to 1. */
function likeness(value: string, texts: readonly string[]): number {
  const [own, others] = [fold(value), texts.map(fold)]
  if (own === '') return 0
  return Math.max(0, ...others.map((it) => (it !== '' && own.includes(it) ? 1 : similarity(own, it))))
}

/** The words of a value that a client sends: a text, a number, an entity, or a list of these. */
function wordsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsIn)
  if (typeof value === 'object' && value !== null) {
    const { name, id }: { name?: unknown; id?: unknown } = value
    return [name ?? id].flatMap(wordsIn)
  }
  return value === undefined || value === null ? [] : [String(value).slice(0, 500)]
}

/** Marks a candidate as the match if it has the name and no other candidate does. */
function markMatch(scored: readonly Scored[]): MatchCandidate[] {
  const named = scored.filter(({ isNamed }) => isNamed)
  return scored.map(({ isNamed, ...it }) => ({ ...it, match: isNamed && named.length === 1 }))
}
