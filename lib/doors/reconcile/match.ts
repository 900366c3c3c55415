import * as v from 'valibot'
import type { Say } from '../../base/language/catalogue.ts'
import * as s from '../../base/shapes.ts'
import type { Scope } from '../../base/visibility.ts'
import { type KindKey, kinds } from '../../domain/kinds/index.ts'
import { kindOfResource, resourceOf } from '../../domain/kinds/resources.ts'
import { textOf } from '../../domain/names/text.ts'
import type { RecordRow } from '../../domain/records/items.ts'
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
/** Who asks. */
export type Asker = { actor: Actor | null; scope: Scope; say: Say }

/** So many candidates more than asked for are scored, since properties may change their order. */
const LOOKED_AT = 10

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
 * The candidates for each query, best first, with scores up to 100. The name counts most. If properties are given, agreement with them is
 * a third of the score. One call for each hundred candidates of queries with properties.
 */
export async function matchQueries(
  model: Model,
  queries: Readonly<Record<string, Query>>,
  { actor, scope, say }: Asker,
): Promise<Map<string, MatchCandidate[]>> {
  const found = new Map<string, Hit[]>()
  for (const [name, query] of Object.entries(queries)) found.set(name, await hitsOf(model, query, scope))
  const detailed = Object.entries(queries).filter(([, { properties = [] }]) => properties.length > 0)
  const wanted = detailed.flatMap(([name]) => found.get(name) ?? [])
  const visible = wanted.length > 0 ? await visibleRecords(wanted, actor) : new Map<string, RecordRow>()
  const records = new Map((await showRecords(actor, [...visible.values()])).map((it) => [it.entity_id, it]))
  return new Map(
    Object.entries(queries).map(([name, query]) => {
      const scored = (found.get(name) ?? []).map((hit) => scoredHit(hit, query, records.get(hit.id), { actor, say }))
      return [name, markMatch(scored.toSorted((a, b) => b.score - a.score)).slice(0, limitOf(query))]
    }),
  )
}

async function hitsOf(model: Model, query: Query, scope: Scope): Promise<Hit[]> {
  const kindsAsked = kindsIn(query.type)
  if (kindsAsked.length === 0 || query.query.trim() === '') return []
  const { hits } = await model.search({
    text: query.query,
    scope: { ...scope, everything: false },
    published: true,
    literal: true,
    resources: kindsAsked.map(resourceOf),
    limit: limitOf(query) + LOOKED_AT,
  })
  return hits
}

/** The kinds of the given types: all if no type is given, none if no kind has such a name. */
function kindsIn(type: Query['type']): readonly KindKey[] {
  const named = type === undefined ? [] : [type].flat().filter((it) => it !== '')
  return named.length === 0 ? matchedKinds : matchedKinds.filter((it) => named.includes(it))
}

type Scored = MatchCandidate & { isNamed: boolean }

type Reader = Pick<Asker, 'actor' | 'say'>
function scoredHit(hit: Hit, query: Query, record: Visible<RecordRow> | undefined, { actor, say }: Reader): Scored {
  const names = [hit.title, ...hit.names]
  const isNamed = names.some((it) => foldAlike(it, query.query))
  const byName = isNamed ? 1 : Math.min(0.97, hit.score)
  const agreed = agreementOf(query, record, actor)
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
    // Without properties a generic name, such as "Shiva mandir", is no match. With properties, they must agree.
    isNamed: isNamed && (agreed === undefined ? !isGeneric(fold(query.query)) : agreed > 0.5),
  }
}

/** How well a record agrees with the given properties, from 0 to 1; undefined if none is given. */
function agreementOf({ properties = [] }: Query, record: Visible<RecordRow> | undefined, actor: Actor | null) {
  if (properties.length === 0) return undefined
  const data = record ? visibleValuesAndPoint(record, actor).data : {}
  const each = properties.map(({ pid, v: wanted }) => likeness(textOf(data[pid]), wordsIn(wanted)))
  return each.reduce((sum, it) => sum + it, 0) / each.length
}

function likeness(has: string, wanted: readonly string[]): number {
  const [own, others] = [fold(has), wanted.map(fold)]
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
