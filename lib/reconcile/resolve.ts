import { invalid } from '../errors.ts'
import { kinds } from '../kinds/index.ts'
import { recordIri } from '../linked/iri.ts'
import { familiesOf } from '../names/families.ts'
import { identity } from '../names/identities.ts'
import { type SameAs, sameAsIn } from '../names/same-as.ts'
import { type Actor, maySee } from '../permissions.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, queryAll, type Stored, walkTable } from '../table/read.ts'
import { matchedKinds } from './manifest.ts'

const families = familiesOf(matchedKinds)
/** Where the links of a family are, each with the records that claim it. */
const partitionOf = (family: string) => key.alike(family, '=', '').pk

/**
 * The records that claim to be a thing of another collection, which the caller may see. One query for each family of kinds,
 * and one call; the same however many records there are. Fails with `invalid` for what is no link.
 */
export async function resolved(link: string, actor: Actor | null, origin: string) {
  const known = sameAsIn(link)
  if (known?.fault) throw invalid({ same_as: [known.fault] })
  const word = identity(link)
  if (!/[:/]/.test(word)) throw invalid({ same_as: ['Give an address, or an id with its collection, such as wd:Q37.'] })
  const entries = await Promise.all(families.map((family) => queryAll(partitionOf(family), `=${word}#`)))
  const records = await seen(entries.flat(), actor)
  return { same_as: link, ...linkView(known), records: records.map((it) => claimant(it, origin)) }
}

const linkView = (known: SameAs | undefined) => ({
  collection: known?.collection ?? null,
  id: known?.id ?? null,
  address: known?.address ?? null,
})

/** Records that entries name, as far as the caller may see them. */
async function seen(entries: readonly Stored[], actor: Actor | null): Promise<RecordItem[]> {
  const ids = [...new Set(entries.map((it) => String(it.entity_id)))]
  const found = await getMany(ids.map(key.head))
  return ids
    .flatMap((id) => itemAt(found, key.head(id)) ?? [])
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

/** So many entries of each family are looked at in one answer. */
const LOOKED_AT = 250

/**
 * Links that several records claim, which is right of one at most: a part of them in the order of the links, and after which
 * link the next part begins. One query for each family of kinds, and one call for each hundred records that share a link.
 */
export async function claimedTwice(after: string | undefined, actor: Actor, origin: string) {
  const { entries, last } = await entriesAfter(after)
  const shared = [...Map.groupBy(entries, wordOf)].filter(([, them]) => them.length > 1)
  const visible = await seen(
    shared.flatMap(([, them]) => them),
    actor,
  )
  const found = new Map(visible.map((it) => [it.entity_id, it]))
  const results = shared.flatMap(([link, them]) => {
    const records = them.flatMap((each) => found.get(String(each.entity_id)) ?? [])
    const view = { same_as: link, ...linkView(sameAsIn(link)), records: records.map((it) => claimant(it, origin)) }
    return records.length > 1 ? [view] : []
  })
  return { results, next: last }
}

/**
 * The entries of all families after a link, in the order of the links, as far as each family was read: what lies beyond the
 * end of one that goes on waits for the next part. `last` is the link that was read last, undefined at the end of all.
 */
async function entriesAfter(after: string | undefined): Promise<{ entries: Stored[]; last: string | undefined }> {
  const beyond = after === undefined ? undefined : `=${after}#~`
  const parts = await Promise.all(
    families.map((family) =>
      walkTable({ pk: partitionOf(family), prefix: '=', forward: true, limit: LOOKED_AT, beyond }),
    ),
  )
  const ends = parts.flatMap((part) => (part.length < LOOKED_AT ? [] : [`${wordOf(part.at(-1) ?? {})}#`]))
  const [end] = ends.sort()
  const all = parts.flat().map((stored) => ({ at: `${wordOf(stored)}#`, stored }))
  if (end === undefined) return { entries: all.map(({ stored }) => stored), last: undefined }
  // The link at the end may go on; where one fills a whole part there is no other way than to end with it.
  const before = all.filter(({ at }) => at < end)
  const within = before.length > 0 ? before : all.filter(({ at }) => at <= end)
  const last = within
    .map(({ at }) => at)
    .sort()
    .at(-1)
  return { entries: within.map(({ stored }) => stored), last: last?.slice(0, -1) }
}

/** The word in the sort key of an entry: `=word#record`. */
const wordOf = ({ sk }: Stored) => String(sk).slice(1, String(sk).lastIndexOf('#'))
