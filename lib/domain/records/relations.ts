import * as v from 'valibot'
import { type Fields, invalid } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { openTier } from '../../base/visibility.ts'
import { fold } from '../../engines/matching/index.ts'
import { getMany, itemAt, type Key, queryBetween, type Stored } from '../../engines/table/index.ts'
import { foldedName, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Field, type InputValues, type Kind, type KindKey, kinds, type ReferenceInput } from '../kinds/index.ts'
import type { Link } from '../names/values.ts'
import { claimsIn } from './claim-packs.ts'

/** A text names this record, which does not exist yet. Planning its stub fills its id into `links`. */
export type MissingRecord = { kind: KindKey; name: string; links: Link[] }
export type ResolvedValues = { data: Record<string, unknown>; missing: MissingRecord[] }

/**
 * Turns the references of a contribution into links. A text is matched by folded name, else by synonyms. Fails with a
 * field error on an id that does not exist or that the caller may not see. Calls: one for all ids, two for each text.
 */
export async function resolveRelations(
  kind: Kind,
  data: InputValues,
  actor: Actor,
  synonymsOf: SynonymLookup = async () => [],
): Promise<ResolvedValues> {
  const relations = Object.entries(data).flatMap(([name, value]) => {
    const field = kind.fields[name]
    // The schema of a kind allows nothing else; see lib/domain/kinds/schema/references.ts.
    return field?.type === 'relation' ? [{ name, field, references: value as ReferenceInput[] }] : []
  })
  const byId = await linksById(relations, actor)
  const byText = await linksByText(relations, actor, synonymsOf)
  const linked = Object.fromEntries(
    relations.map(({ name, field, references }) => [
      name,
      references.map((it) => ('id' in it ? byId.get(idKey(field, it.id)) : byText.links.get(textKey(field, it.text)))),
    ]),
  )
  return { data: { ...data, ...linked }, missing: byText.missing }
}

/** Finds the ids of records whose names mean the same as a text, though they fold differently. */
export type SynonymLookup = (kind: KindKey, text: string, actor: Actor) => Promise<string[]>

type Relation = { name: string; field: Field; references: ReferenceInput[] }

/** Undefined where nothing of this kind can have this id. */
export function targetKey(kind: KindKey, id: number | string): Key | undefined {
  const { record, code } = kinds[kind]
  if (!record) return typeof id === 'string' ? targetKeys[kind]?.(id) : undefined
  if (typeof id === 'number') return key.head(recordId(code, id))
  const address = addressOf(id)
  return address?.kindCode === code && address.record === id ? key.head(id) : undefined
}

const targetKeys: Partial<Record<KindKey, (id: string) => Key>> = {
  data_source: key.source,
  entity_cluster: key.cluster,
  entity: key.head,
  assertion: key.ofClaim,
}

const idKey = (field: Field, id: number | string) => `${field.relation} ${id}`
const textKey = (field: Field, text: string) => `${field.relation} ${fold(text)}`

async function linksById(relations: readonly Relation[], actor: Actor): Promise<Map<string, Link>> {
  const wanted = relations.flatMap(({ name, field, references }) =>
    references.flatMap((it) =>
      'id' in it && field.relation ? [{ name, field, target: field.relation, id: it.id }] : [],
    ),
  )
  const at = wanted.map(({ target, id }) => targetKey(target, id))
  const found = await getMany(
    at.filter((one) => one !== undefined),
    true,
  )
  const links = new Map<string, Link>()
  const faults: Fields = {}
  wanted.forEach(({ name, field, target, id }, i) => {
    const place = at[i]
    const stored = place && targetIn(itemAt(found, place), target, id)
    if (stored && maySeeTarget(stored, actor)) links.set(idKey(field, id), linkTo(stored, id))
    else faults[name] = [`There is no ${kinds[target].label.toLowerCase()} with one of these ids.`]
  })
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return links
}

/** A claim is stored inside of a pack. */
const targetIn = (stored: Stored | undefined, kind: KindKey, id: number | string): Stored | undefined =>
  stored && kind === 'assertion' ? claimsIn(stored).find((it) => it.id === id) : stored

/** What all link targets share. A target that nobody reviews, such as a data source, counts as accepted. */
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

const maySeeTarget = (it: Stored, actor: Actor) => maySee(actor, v.parse(Target, it))

function linkTo(it: Stored, id: number | string): Link {
  const target = v.parse(Target, it)
  const { entity_id } = target
  const own = typeof it.id === 'number' ? it.id : id
  return { id: own, name: targetName(target), ...(entity_id !== undefined && { entity_id }) }
}

export const targetName = (it: v.InferOutput<typeof Target>): string =>
  it.name ?? it.canonical_label ?? it.asserted_value ?? ''

async function linksByText(relations: readonly Relation[], actor: Actor, synonymsOf: SynonymLookup) {
  const wanted = new Map<string, { name: string; field: Field; target: KindKey; text: string }>()
  for (const { name, field, references } of relations) {
    for (const it of references) {
      // Where several spellings fold alike, the first one counts.
      if ('text' in it && field.relation && !wanted.has(textKey(field, it.text)))
        wanted.set(textKey(field, it.text), { name, field, target: field.relation, text: it.text })
    }
  }
  checkNameable([...wanted.values()])
  const links = new Map<string, Link>()
  const missing: MissingRecord[] = []
  await Promise.all(
    [...wanted].map(async ([place, { target, text }]) => {
      const match =
        (await findByName(target, text, actor)) ??
        (await pickTarget(target, text, actor, await synonymsOf(target, text, actor)))
      const written = text.normalize('NFC')
      const link: Link = { ...(match ?? { id: 0, name: written }), text: written }
      if (!match) missing.push({ kind: target, name: written, links: [link] })
      links.set(place, link)
    }),
  )
  return { links, missing }
}

/**
 * Only records and data sources can be named by a text. Checked before look-ups start, so a failure leaves no call
 * running.
 */
function checkNameable(wanted: readonly { name: string; target: KindKey }[]): void {
  const nameless = wanted.filter(({ target }) => !kinds[target].record && target !== 'data_source')
  if (nameless.length > 0)
    throw invalid(Object.fromEntries(nameless.map(({ name }) => [name, ['Choose an existing one by its id.']])))
}

async function findByName(kind: KindKey, text: string, actor: Actor): Promise<Link | undefined> {
  const folded = foldedName(text)
  const entries = await queryBetween(key.name(kind, folded, '').pk, `${folded}#`, `${folded}#~`, 25)
  const ids = entries.map((entry) => readEntry(entry).id)
  return pickTarget(kind, text, actor, ids)
}

/** Picks the record that a text means: a published one, else the caller's own, else any other that was not rejected. */
async function pickTarget(
  kind: KindKey,
  text: string,
  actor: Actor,
  ids: readonly (number | string)[],
): Promise<Link | undefined> {
  if (ids.length === 0) return undefined
  const found = await getMany(
    ids.flatMap((id) => targetKey(kind, id) ?? []),
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
  // If the caller may not read the record, the link takes the caller's text as its name: the real name stays hidden.
  return maySeeTarget(first.stored, actor) ? linkTo(first.stored, id) : { ...linkTo(first.stored, id), name: text }
}
