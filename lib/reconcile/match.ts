import { type KindKey, kinds } from '../kinds/index.ts'
import { kindOfResource, resourceOf } from '../kinds/resources.ts'
import type { Say } from '../language/catalogue.ts'
import { fold, foldAlike, isGeneric } from '../matching/fold.ts'
import { similarity } from '../matching/likeness.ts'
import { textOf } from '../names/text.ts'
import type { Actor, Scope } from '../permissions.ts'
import type { RecordRow } from '../records/items.ts'
import { visibleRecords } from '../records/search.ts'
import { type Shown, shownTo } from '../records/shown.ts'
import { guarded } from '../records/views/record.ts'
import type { Hit, Model } from '../search/query.ts'
import { matchedKinds, type Type, typeOf } from './manifest.ts'
import { limitOf, type Query } from './queries.ts'

export type Candidate = {
  id: string
  name: string
  description: string
  type: Type[]
  score: number
  match: boolean
}
/** Who asks. */
export type Asker = { actor: Actor | null; scope: Scope; say: Say }

/** Beyond what is asked for so many are looked at, since properties may put another one first. */
const LOOKED_AT = 10

/**
 * The candidates for each query, best first, with scores up to 100. A name decides by far the most; where properties are
 * given, how well a record agrees with them is a third. One call for each hundred candidates of queries with properties.
 */
export async function candidatesFor(
  model: Model,
  queries: Readonly<Record<string, Query>>,
  { actor, scope, say }: Asker,
): Promise<Map<string, Candidate[]>> {
  const found = new Map<string, Hit[]>()
  for (const [name, query] of Object.entries(queries)) found.set(name, await hitsOf(model, query, scope))
  const detailed = Object.entries(queries).filter(([, { properties = [] }]) => properties.length > 0)
  const wanted = detailed.flatMap(([name]) => found.get(name) ?? [])
  const visible = wanted.length > 0 ? await visibleRecords(wanted, actor) : new Map<string, RecordRow>()
  const records = new Map((await shownTo(actor, [...visible.values()])).map((it) => [it.entity_id, it]))
  return new Map(
    Object.entries(queries).map(([name, query]) => {
      const scored = (found.get(name) ?? []).map((hit) => scoredHit(hit, query, records.get(hit.id), { actor, say }))
      return [name, decided(scored.toSorted((a, b) => b.score - a.score)).slice(0, limitOf(query))]
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

/** The kinds that are meant by types; all where none is named, none where nothing is called so. */
function kindsIn(type: Query['type']): readonly KindKey[] {
  const named = type === undefined ? [] : [type].flat().filter((it) => it !== '')
  return named.length === 0 ? matchedKinds : matchedKinds.filter((it) => named.includes(it))
}

type Scored = Candidate & { isNamed: boolean }

type Reader = Pick<Asker, 'actor' | 'say'>
function scoredHit(hit: Hit, query: Query, record: Shown<RecordRow> | undefined, { actor, say }: Reader): Scored {
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
    // A name that says no more than a sort of thing and whose is enough only where the rest agrees.
    isNamed: isNamed && (agreed === undefined ? !isGeneric(fold(query.query)) : agreed > 0.5),
  }
}

/** How well a record agrees with the properties that are given; undefined where none is. */
function agreementOf({ properties = [] }: Query, record: Shown<RecordRow> | undefined, actor: Actor | null) {
  if (properties.length === 0) return undefined
  const data = record ? guarded(record, actor).data : {}
  const each = properties.map(({ pid, v: wanted }) => likeness(textOf(data[pid]), wordsIn(wanted)))
  return each.reduce((sum, it) => sum + it, 0) / each.length
}

function likeness(has: string, wanted: readonly string[]): number {
  const [own, others] = [fold(has), wanted.map(fold)]
  if (own === '') return 0
  return Math.max(0, ...others.map((it) => (it !== '' && own.includes(it) ? 1 : similarity(own, it))))
}

/** A value as clients send it: a text, a number, an entity, or several. */
function wordsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsIn)
  if (typeof value === 'object' && value !== null) {
    const { name, id }: { name?: unknown; id?: unknown } = value
    return [name ?? id].flatMap(wordsIn)
  }
  return value === undefined || value === null ? [] : [String(value).slice(0, 500)]
}

/** Only one that is called so, and is alone in it, is told to be the one. */
function decided(scored: readonly Scored[]): Candidate[] {
  const named = scored.filter(({ isNamed }) => isNamed)
  return scored.map(({ isNamed, ...it }) => ({ ...it, match: isNamed && named.length === 1 }))
}
