import * as v from 'valibot'
import { type Fields, invalid } from '../errors.ts'
import { addressOf, recordId } from '../ids/address.ts'
import { type Data, type Field, type Kind, type KindKey, kinds, type Reference } from '../kinds/index.ts'
import { fold } from '../matching/fold.ts'
import { foldedName, readEntry } from '../names/index.ts'
import type { Link } from '../names/values.ts'
import { type Actor, maySee, openTier } from '../permissions.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, queryBetween, type Stored } from '../table/read.ts'
import { claimsIn } from './claim-packs.ts'

/** A record that free text asks for and that nothing matches; `links` gain its id once it has one. */
export type Missing = { kind: KindKey; name: string; links: Link[] }
export type Resolved = { data: Record<string, unknown>; missing: Missing[] }

/**
 * The values of a contribution with every reference turned into a link: ids are looked up, text is matched by folded
 * name, and where nothing has it by what is `meant`. Fails with a field error on an id that names nothing the caller may see. Costs one call for all ids, and two
 * for each distinct text.
 */
export async function resolve(
  kind: Kind,
  data: Data,
  actor: Actor,
  synonymsOf: Meant = async () => [],
): Promise<Resolved> {
  const relations = Object.entries(data).flatMap(([name, value]) => {
    const field = kind.fields[name]
    // The schema of a kind leaves nothing else there; see kinds/references.ts.
    return field?.type === 'relation' ? [{ name, field, references: value as Reference[] }] : []
  })
  const byId = await linksById(relations, actor)
  const byText = await linksByText(relations, actor, synonymsOf)
  const linked = Object.fromEntries(
    relations.map(({ name, field, references }) => [
      name,
      references.map((it) =>
        'id' in it ? byId.get(idPlace(field, it.id)) : byText.links.get(textPlace(field, it.text)),
      ),
    ]),
  )
  return { data: { ...data, ...linked }, missing: byText.missing }
}

/** The ids of records of a kind that a text means though their names fold to something else. */
export type Meant = (kind: KindKey, text: string, actor: Actor) => Promise<string[]>

type Relation = { name: string; field: Field; references: Reference[] }

/** Where the record of a kind with this id (or this review identity) lies; undefined when no record can have it. */
export function keyOf(kind: KindKey, id: number | string): Key | undefined {
  const { record, code } = kinds[kind]
  if (!record) return typeof id === 'string' ? placeOf[kind]?.(id) : undefined
  if (typeof id === 'number') return key.head(recordId(code, id))
  const address = addressOf(id)
  return address?.kindCode === code && address.record === id ? key.head(id) : undefined
}

const placeOf: Partial<Record<KindKey, (id: string) => Key>> = {
  data_source: key.source,
  entity_cluster: key.cluster,
  entity: key.head,
  assertion: key.ofClaim,
}

const idPlace = (field: Field, id: number | string) => `${field.relation} ${id}`
const textPlace = (field: Field, text: string) => `${field.relation} ${fold(text)}`

async function linksById(relations: readonly Relation[], actor: Actor): Promise<Map<string, Link>> {
  const wanted = relations.flatMap(({ name, field, references }) =>
    references.flatMap((it) =>
      'id' in it && field.relation ? [{ name, field, target: field.relation, id: it.id }] : [],
    ),
  )
  const at = wanted.map(({ target, id }) => keyOf(target, id))
  const found = await getMany(
    at.filter((one) => one !== undefined),
    true,
  )
  const links = new Map<string, Link>()
  const faults: Fields = {}
  wanted.forEach(({ name, field, target, id }, i) => {
    const place = at[i]
    const stored = place && targetIn(itemAt(found, place), target, id)
    if (stored && seen(stored, actor)) links.set(idPlace(field, id), linkTo(stored, id))
    else faults[name] = [`There is no ${kinds[target].label.toLowerCase()} with one of these ids.`]
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return links
}

/** What is meant of what lies there: claims lie together. */
const targetIn = (stored: Stored | undefined, kind: KindKey, id: number | string): Stored | undefined =>
  stored && kind === 'assertion' ? claimsIn(stored).find((it) => it.id === id) : stored

/** What every kind of target has in common; what has no review of its own counts as accepted. */
export const Target = v.object({
  name: v.optional(v.string()),
  canonical_label: v.optional(v.string()),
  asserted_value: v.optional(v.string()),
  entity_id: v.optional(v.string()),
  contributor_id: v.optional(v.nullable(v.string()), null),
  public: v.optional(v.boolean(), true),
  status: v.optional(v.string(), 'accepted'),
  access_tier: v.optional(v.string(), openTier),
  deleted_at: v.optional(v.nullable(v.string()), null),
})

const seen = (it: Stored, actor: Actor) => maySee(actor, v.parse(Target, it))

function linkTo(it: Stored, id: number | string): Link {
  const target = v.parse(Target, it)
  const { entity_id } = target
  const own = typeof it.id === 'number' ? it.id : id
  return { id: own, name: nameOf(target), ...(entity_id !== undefined && { entity_id }) }
}

/** What a target is called. */
export const nameOf = (it: v.InferOutput<typeof Target>): string =>
  it.name ?? it.canonical_label ?? it.asserted_value ?? ''

async function linksByText(relations: readonly Relation[], actor: Actor, synonymsOf: Meant) {
  const wanted = new Map<string, { name: string; field: Field; target: KindKey; text: string }>()
  for (const { name, field, references } of relations) {
    for (const it of references) {
      // Of several spellings the first is kept.
      if ('text' in it && field.relation && !wanted.has(textPlace(field, it.text)))
        wanted.set(textPlace(field, it.text), { name, field, target: field.relation, text: it.text })
    }
  }
  checkNameable([...wanted.values()])
  const links = new Map<string, Link>()
  const missing: Missing[] = []
  await Promise.all(
    [...wanted].map(async ([place, { target, text }]) => {
      const match =
        (await named(target, text, actor)) ?? (await best(target, text, actor, await synonymsOf(target, text, actor)))
      const written = text.normalize('NFC')
      const link: Link = { ...(match ?? { id: 0, name: written }), text: written }
      if (!match) missing.push({ kind: target, name: written, links: [link] })
      links.set(place, link)
    }),
  )
  return { links, missing }
}

/** Records and sources have names; others are told apart by their ids alone. Asked before anything is looked up, so that no call is left behind. */
function checkNameable(wanted: readonly { name: string; target: KindKey }[]): void {
  const nameless = wanted.filter(({ target }) => !kinds[target].record && target !== 'data_source')
  if (nameless.length > 0)
    throw invalid(Object.fromEntries(nameless.map(({ name }) => [name, ['Choose an existing one by its id.']])))
}

async function named(kind: KindKey, text: string, actor: Actor): Promise<Link | undefined> {
  const folded = foldedName(text)
  const entries = await queryBetween(key.name(kind, folded, '').pk, `${folded}#`, `${folded}#~`, 25)
  const ids = entries.map((entry) => readEntry(entry).id)
  return best(kind, text, actor, ids)
}

/** Of the records that a text may mean a published one, else one's own, else any that is not refused. */
async function best(
  kind: KindKey,
  text: string,
  actor: Actor,
  ids: readonly (number | string)[],
): Promise<Link | undefined> {
  if (ids.length === 0) return undefined
  const found = await getMany(
    ids.flatMap((id) => keyOf(kind, id) ?? []),
    true,
  )
  const rank = (it: v.InferOutput<typeof Target>) =>
    it.public ? 0 : it.contributor_id === actor.id ? 1 : it.status === 'rejected' ? 3 : 2
  const candidates = [...found.values()]
    .map((stored) => ({ stored, target: v.parse(Target, stored) }))
    .filter(({ target }) => !target.deleted_at && rank(target) < 3)
    .sort((a, b) => rank(a.target) - rank(b.target))
  const first = candidates[0]
  if (!first) return undefined
  const id = v.parse(v.union([v.number(), v.string()]), first.stored.id)
  // The name of a record that the caller may not read is not told: the text that was sent stands for it.
  return seen(first.stored, actor) ? linkTo(first.stored, id) : { ...linkTo(first.stored, id), name: text }
}
