import * as v from 'valibot'
import { type Fields, invalid } from '../../../base/errors.ts'
import { addressOf, recordId } from '../../../base/ids/address.ts'
import { openTier } from '../../../base/visibility.ts'
import { fold } from '../../../engines/matching/index.ts'
import { getMany, itemAt, type Key, queryBetween, type Stored } from '../../../engines/table/index.ts'
import { foldedName, readEntry } from '../../../platform/name-index/entries.ts'
import { type Actor, mayInspect, maySee } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import { type Field, type InputValues, type Kind, type KindKey, kinds, type ReferenceInput } from '../../kinds/index.ts'
import type { Link } from '../../names/values.ts'
import { claimsIn } from '../claim-packs.ts'
import { isNamingNoted } from '../naming.ts'

/**
 * A text that names no record, or only records that the caller may not see. `planStubs` makes a stub and writes its id into `links`.
 * `hidden`: the records of this name that the caller may not see.
 */
export type MissingRecord = { kind: KindKey; name: string; links: Link[]; hidden: readonly HiddenNamesake[] }
type HiddenNamesake = { entity_id: string; id: number | string; name: string }

/** `noted`: review identities of records to which links are noted; see lib/domain/records/naming.ts. */
export type ResolvedValues = { data: Record<string, unknown>; missing: MissingRecord[]; noted: string[] }

/**
 * Turns the references of a contribution into links. A text is matched by folded name, else by synonyms, among the records that
 * the caller may see. Fails with a field error on an id without such a record. Calls: one for all ids, two for each text. `import_id`:
 * the import of which the contribution is a row.
 */
export async function resolveRelations(
  kind: Kind,
  data: InputValues,
  actor: Actor,
  synonymsOf: SynonymLookup = async () => [],
  import_id?: string,
): Promise<ResolvedValues> {
  const relations = Object.entries(data).flatMap(([name, value]) => {
    const field = kind.fields[name]
    // The schema of a kind allows nothing else; see lib/domain/kinds/schema/references.ts.
    return field?.type === 'relation' ? [{ name, field, references: value as ReferenceInput[] }] : []
  })
  const targets: Stored[] = []
  const byId = await linksById(relations, actor, targets)
  const byText = await linksByText(relations, { actor, synonymsOf, targets })
  const linked = Object.fromEntries(
    relations.map(({ name, field, references }) => [
      name,
      references.map((reference) =>
        'id' in reference ? byId.get(idKey(field, reference.id)) : byText.links.get(textKey(field, reference.text)),
      ),
    ]),
  )
  return { data: { ...data, ...linked }, missing: byText.missing, noted: notedAmong(targets, actor, import_id) }
}

/** Finds the ids of records whose names mean the same as a text but fold differently. */
export type SynonymLookup = (kind: KindKey, text: string, actor: Actor) => Promise<string[]>

type Relation = { name: string; field: Field; references: ReferenceInput[] }

/** Returns the key of a link target. Undefined if no record of this kind can have this id. */
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

/** Returns the review identities of the targets to which a link of this person is noted (`isNamingNoted`). */
const notedAmong = (targets: readonly Stored[], actor: Actor, import_id: string | undefined): string[] =>
  targets
    .map((stored) => v.parse(Target, stored))
    .flatMap((target) =>
      target.entity_id !== undefined && isNamingNoted(target, actor, import_id) ? [target.entity_id] : [],
    )

/**
 * Returns the links of all references by id, and adds their targets to `targets`. Fails with a field error if one of them
 * cannot be linked.
 */
async function linksById(relations: readonly Relation[], actor: Actor, targets: Stored[]): Promise<Map<string, Link>> {
  const withId = relations.flatMap(({ name, field, references }) =>
    references.flatMap((reference) => {
      if (!('id' in reference) || !field.relation) return []
      const { id } = reference
      return [{ name, field, target: field.relation, id, at: targetKey(field.relation, id) }]
    }),
  )
  const found = await getMany(
    withId.flatMap(({ at }) => at ?? []),
    true,
  )
  const links = new Map<string, Link>()
  const faults: Fields = {}
  for (const { name, field, target, id, at } of withId) {
    const stored = at && targetIn(itemAt(found, at), target, id)
    if (stored && maySeeTarget(stored, actor)) {
      links.set(idKey(field, id), linkTo(stored, id))
      targets.push(stored)
    } else faults[name] = [`There is no ${kinds[target].label.toLowerCase()} with one of these ids.`]
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return links
}

/** Returns a target from its stored item. A claim is stored inside a pack. */
const targetIn = (stored: Stored | undefined, kind: KindKey, id: number | string): Stored | undefined =>
  stored && kind === 'assertion' ? claimsIn(stored).find((claim) => claim.id === id) : stored

/** The members that all link targets share. The defaults treat a target that nobody reviews, such as a data source, as accepted. */
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
  /** Set if a row of an import made the record, or a later revision of it. */
  batch: v.optional(v.nullable(v.looseObject({})), null),
})

const maySeeTarget = (stored: Stored, actor: Actor) => maySee(actor, v.parse(Target, stored))

/** Builds a link with the target's own id if that is an integer, else with the id that was sent. */
function linkTo(stored: Stored, sentId: number | string): Link {
  const target = v.parse(Target, stored)
  const id = typeof stored.id === 'number' ? stored.id : sentId
  const name = targetName(target)
  return target.entity_id === undefined ? { id, name } : { id, name, entity_id: target.entity_id }
}

/** Returns the name under which a target is shown. */
export const targetName = ({ name, canonical_label, asserted_value }: v.InferOutput<typeof Target>): string =>
  name ?? canonical_label ?? asserted_value ?? ''

type TextSearch = { actor: Actor; synonymsOf: SynonymLookup; targets: Stored[] }

/** Returns the links of all references by text, and the records that do not exist yet. Adds the targets to `targets`. */
async function linksByText(relations: readonly Relation[], { actor, synonymsOf, targets }: TextSearch) {
  const texts = new Map<string, { name: string; target: KindKey; text: string }>()
  for (const { name, field, references } of relations) {
    for (const reference of references) {
      if (!('text' in reference) || !field.relation) continue
      const { text } = reference
      const folded = textKey(field, text)
      // If several spellings fold alike, the first one is kept.
      if (!texts.has(folded)) texts.set(folded, { name, target: field.relation, text })
    }
  }
  checkNameable([...texts.values()])
  const links = new Map<string, Link>()
  const missing: MissingRecord[] = []
  await Promise.all(
    [...texts].map(async ([folded, { target, text }]) => {
      const named = await findByName(target, text, actor)
      const stored = named.best ?? (await pickTarget(target, actor, await synonymsOf(target, text, actor))).best
      if (stored) targets.push(stored)
      const match = stored && linkByText(stored, text, actor)
      const written = text.normalize('NFC')
      const link: Link = { ...(match ?? { id: 0, name: written }), text: written }
      if (!match) missing.push({ kind: target, name: written, links: [link], hidden: named.hidden })
      links.set(folded, link)
    }),
  )
  return { links, missing }
}

/**
 * Only records and data sources can be named by a text. This check comes before the look-ups, so a failure leaves no call
 * running.
 */
function checkNameable(texts: readonly { name: string; target: KindKey }[]): void {
  const nameless = texts.filter(({ target }) => !kinds[target].record && target !== 'data_source')
  if (nameless.length > 0)
    throw invalid(Object.fromEntries(nameless.map(({ name }) => [name, ['Choose an existing one by its id.']])))
}

/** Finds the record or data source whose folded name equals that of a text. Two calls, one if nothing has that name. */
async function findByName(kind: KindKey, text: string, actor: Actor): Promise<NamedTargets> {
  const folded = foldedName(text)
  const entries = await queryBetween(key.name(kind, folded, '').pk, `${folded}#`, `${folded}#~`, 25)
  const ids = entries.map((entry) => readEntry(entry).id)
  return pickTarget(kind, actor, ids)
}

/** `best`: the record that a text means, among those that the caller may see. `hidden`: the others. */
type NamedTargets = { best: Stored | undefined; hidden: HiddenNamesake[] }

/**
 * Picks the record that a text means, among the records that the caller may see. A published record goes first, then the caller's own. Then
 * comes any other record that was not rejected.
 */
async function pickTarget(kind: KindKey, actor: Actor, ids: readonly (number | string)[]): Promise<NamedTargets> {
  if (ids.length === 0) return { best: undefined, hidden: [] }
  const found = await getMany(
    ids.flatMap((id) => targetKey(kind, id) ?? []),
    true,
  )
  const rankOf = ({ public: isPublic, contributor_id, status }: v.InferOutput<typeof Target>) =>
    isPublic ? 0 : contributor_id === actor.id ? 1 : status === 'rejected' ? 3 : 2
  const candidates = [...found.values()]
    .map((stored) => ({ stored, target: v.parse(Target, stored) }))
    .filter(({ target }) => !target.deleted_at && rankOf(target) < 3)
    .sort((a, b) => rankOf(a.target) - rankOf(b.target))
  const isVisible = ({ target }: { target: v.InferOutput<typeof Target> }) => mayInspect(actor, target)
  return {
    best: candidates.find(isVisible)?.stored,
    hidden: candidates.filter((it) => !isVisible(it)).flatMap(namesakeOf),
  }
}

/** Builds a link that was found by text. If the caller may not see the target's name, the link holds the text instead. */
function linkByText(stored: Stored, text: string, actor: Actor): Link {
  const link = linkTo(stored, v.parse(v.union([v.number(), v.string()]), stored.id))
  return maySeeTarget(stored, actor) ? link : { ...link, name: text }
}

const namesakeOf = ({ stored, target }: { stored: Stored; target: v.InferOutput<typeof Target> }): HiddenNamesake[] =>
  target.entity_id === undefined
    ? []
    : [{ entity_id: target.entity_id, id: linkTo(stored, String(stored.id)).id, name: targetName(target) }]
