import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { kinds } from '../../domain/kinds/index.ts'
import { identityWord } from '../../domain/names/identities.ts'
import { collectionKeys, parseSameAs, type SameAs } from '../../domain/names/same-as.ts'
import { recordIri } from '../../domain/records/iri.ts'
import { type RecordItem, recordItem } from '../../domain/records/items.ts'
import { getMany, itemAt, parse, queryAll, type Stored, walkTable } from '../../engines/table/index.ts'
import { familiesOf } from '../../platform/name-index/families.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { matchedKinds } from './manifest.ts'

const families = familiesOf(matchedKinds)
/** The partition that holds the links of a family of kinds, each with the records that claim it. */
const partitionOf = (family: string) => key.alike(family, '=', '').pk

export const ResolvedLinkView = s.shape('ResolvedLink', () =>
  v.object({
    same_as: s.text,
    collection: s.maybe(s.oneOf(collectionKeys)),
    id: s.maybe(s.text),
    address: s.maybe(s.text),
    records: v.array(
      v.object({ kind: s.text, id: v.union([s.whole, s.uuid]), cultural_entity_id: s.uuid, name: s.text, url: s.text }),
    ),
  }),
)

/**
 * Finds the records that claim an identifier of another collection, as far as the caller may see them. Makes one query for each family
 * of kinds, and one DynamoDB call for each hundred records. Fails with `invalid` if the text is not an identifier.
 */
export async function resolveLink(link: string, actor: Actor | null, origin: string) {
  const identifier = parseSameAs(link)
  if (identifier?.fault) throw invalid({ same_as: [identifier.fault] })
  const word = identityWord(link)
  if (!/[:/]/.test(word)) throw invalid({ same_as: ['Give an address, or an id with its collection, such as wd:Q37.'] })
  const entries = await Promise.all(families.map((family) => queryAll(partitionOf(family), `=${word}#`)))
  const records = await loadVisible(entries.flat(), actor)
  return { same_as: link, ...linkView(identifier), records: records.map((it) => claimant(it, origin)) }
}

const linkView = (identifier: SameAs | undefined) => ({
  collection: identifier?.collection ?? null,
  id: identifier?.id ?? null,
  address: identifier?.address ?? null,
})

/** Loads the records of entries, as far as the caller may see them. */
async function loadVisible(entries: readonly Stored[], actor: Actor | null): Promise<RecordItem[]> {
  const ids = [...new Set(entries.map((it) => String(it.entity_id)))]
  const heads = await getMany(ids.map(key.head))
  return ids
    .flatMap((id) => itemAt(heads, key.head(id)) ?? [])
    .map((stored) => parse(recordItem, stored))
    .filter((it) => it.public && !it.deleted_at && maySee(actor, it))
}

const claimant = (it: RecordItem, origin: string) => ({
  kind: it.kind,
  id: kinds[it.kind].record ? it.id : it.entity_id,
  cultural_entity_id: it.entity_id,
  name: it.name,
  url: recordIri(origin, it),
})

/** The number of entries of each family that one answer reads. */
const ENTRIES_PER_FAMILY = 250

/**
 * Lists identifiers that several records claim, though at most one claim can be right. Returns one part, in the order of identifiers,
 * and `next`, after which the next part begins. Makes one query for each family of kinds, and one DynamoDB call for each hundred records.
 */
export async function listSharedLinks(after: string | undefined, actor: Actor, origin: string) {
  const { entries, last } = await entriesAfter(after)
  const shared = [...Map.groupBy(entries, wordOf)].filter(([, sharing]) => sharing.length > 1)
  const visible = await loadVisible(
    shared.flatMap(([, sharing]) => sharing),
    actor,
  )
  const records = new Map(visible.map((it) => [it.entity_id, it]))
  const results = shared.flatMap(([link, sharing]) => {
    const claimants = sharing.flatMap((each) => records.get(String(each.entity_id)) ?? [])
    const view = { same_as: link, ...linkView(parseSameAs(link)), records: claimants.map((it) => claimant(it, origin)) }
    return claimants.length > 1 ? [view] : []
  })
  return { results, next: last }
}

/**
 * The entries of all families after a link, in the order of links. If a family has more entries than were read, entries of other families
 * beyond that point wait for the next part. `last` is the last link of the part; undefined at the end of all.
 */
async function entriesAfter(after: string | undefined): Promise<{ entries: Stored[]; last: string | undefined }> {
  const beyond = after === undefined ? undefined : `=${after}#~`
  const parts = await Promise.all(
    families.map((family) =>
      walkTable({ pk: partitionOf(family), prefix: '=', forward: true, limit: ENTRIES_PER_FAMILY, beyond }),
    ),
  )
  const ends = parts.flatMap((part) => (part.length < ENTRIES_PER_FAMILY ? [] : [`${wordOf(part.at(-1) ?? {})}#`]))
  const [end] = ends.sort()
  const all = parts.flat().map((stored) => ({ at: `${wordOf(stored)}#`, stored }))
  if (end === undefined) return { entries: all.map(({ stored }) => stored), last: undefined }
  // The last link may have more entries. So it waits for the next part, unless this part holds no other link.
  const before = all.filter(({ at }) => at < end)
  const within = before.length > 0 ? before : all.filter(({ at }) => at <= end)
  const last = within
    .map(({ at }) => at)
    .sort()
    .at(-1)
  return { entries: within.map(({ stored }) => stored), last: last?.slice(0, -1) }
}

/** The link in the sort key of an entry, which is `=link#record`. */
const wordOf = ({ sk }: Stored) => String(sk).slice(1, String(sk).lastIndexOf('#'))
