import { audiencesWith } from '../../base/visibility.ts'
import {
  getMany,
  itemAt,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  readList,
  sizesOfGroup,
  walkTable,
} from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import { claimsIn } from '../records/claim-packs.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { showRecords } from '../records/shown.ts'
import type { Chain } from './chain.ts'
import { fallsWith, successorWithout, textOfClaim } from './footings.ts'
import { type Dependent, dependent, type Footing, type SourceRuling, type Support, sourceRuling } from './items.ts'

/** How many values of a kind rest on a source alone, and how many have other support. */
export type KindCount = { kind: KindKey; alone: number; supported: number }
/** One value that rests on a source. `instead`: what would stand in its place. `stays`: other sources support it. */
export type DependentValue = {
  record: RecordItem
  footing: Footing
  stays: boolean
  instead: { claim: string; value: string } | null
  ruling: SourceRuling | undefined
}
export type DependentPage = PageResult<DependentValue> & { counts: KindCount[]; is_exact: boolean }
export type DependentFilter = {
  support: 'alone' | 'supported'
  kind?: string | undefined
  source_id?: string | undefined
}

/**
 * The most records that are read for one reference and audience, for their values with several references. Such a value falls only with all
 * its references.
 */
const MOST_SHARED = 25

type Value = { entry: Dependent; footing: Footing }

/**
 * Lists one page of the values that rest on a source, with counts by kind. What the caller may not see is neither listed nor counted.
 * The cost does not depend on how many values there are: a query for each reference and audience, their counters, and the records.
 */
export async function listDependents(
  { references }: Chain,
  filter: DependentFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<DependentPage> {
  const audiences = audiencesWith(actor !== null)
  const fallen = new Set(references)
  const shared = await sharedOf(references, audiences)
  const inside = shared.values.filter(({ footing }) => fallsWith(footing, fallen))
  const counts = await countKinds(references, audiences, shared.values, fallen)
  const total = counts
    .filter(({ kind }) => filter.kind === undefined || kind === filter.kind)
    .reduce((sum, it) => sum + (filter.support === 'alone' ? it.alone : it.supported), 0)
  const extra =
    filter.support === 'alone' ? inside.filter(({ entry }) => !filter.kind || entry.kind === filter.kind) : []
  const own = extra.slice(place.offset, place.offset + place.limit)
  const wanted: Support = filter.support === 'alone' ? 'alone' : 'shared'
  const beside: PageRequest = {
    limit: Math.max(1, place.limit - own.length),
    offset: Math.max(0, place.offset - extra.length),
    ...(place.offset > extra.length && place.from && { from: place.from }),
  }
  const listing = await readList(
    {
      partitions: references.flatMap((reference) =>
        audiences.map((audience) => ({
          pk: key.dependent(reference, '').pk,
          prefix: `${audience}#${wanted}#${filter.kind ? `${filter.kind}#` : ''}`,
        })),
      ),
      counted: [],
      forward: true,
      entries: (item) => parse(dependent, item).values.map(({ property }) => property),
    },
    beside,
    (items) => items.map((item) => key.head(String(item.entity_id))),
  )
  const listed = listing.items.flatMap((item, i): Value[] => {
    const entry = parse(dependent, item)
    const footing = entry.values.find(({ property }) => listing.places[i]?.endsWith(`#${property}`))
    return footing ? [{ entry, footing }] : []
  })
  const page = [...own, ...(place.limit > own.length ? listed : [])].filter(
    (it) => filter.support === 'alone' || (!fallsWith(it.footing, fallen) && isFirstIn(it, fallen)),
  )
  const results = await withRecords(page, { actor, fallen, source_id: filter.source_id })
  const { first, last } = listing
  return { results, count: total, counts, is_exact: shared.isWhole, ...(first && { first }), ...(last && { last }) }
}

/** A source has several references (its `Chain`). A value that rests on more than one of them is listed once, under the first. */
const isFirstIn = ({ entry, footing }: Value, fallen: ReadonlySet<string>) =>
  footing.references.find((reference) => fallen.has(reference)) === entry.reference

/** The values under several references of a chain, each once. Read only where a chain has several references. */
async function sharedOf(references: readonly string[], audiences: readonly string[]) {
  if (references.length < 2) return { values: [] as Value[], isWhole: true }
  const spans = references.flatMap((reference) =>
    audiences.map((audience) => ({ reference, prefix: `${audience}#shared#` })),
  )
  const pages = await Promise.all(
    spans.map(({ reference, prefix }) =>
      walkTable({ pk: key.dependent(reference, '').pk, prefix, forward: true, limit: MOST_SHARED }),
    ),
  )
  const values = pages.flatMap((items) =>
    items.map((item) => parse(dependent, item)).flatMap((entry) => entry.values.map((footing) => ({ entry, footing }))),
  )
  const fallen = new Set(references)
  return {
    values: values.filter((it) => isFirstIn(it, fallen)),
    isWhole: pages.every((items) => items.length < MOST_SHARED),
  }
}

/** Counts values by kind. A value under several references of the chain is counted once. */
async function countKinds(
  references: readonly string[],
  audiences: readonly string[],
  shared: readonly Value[],
  fallen: ReadonlySet<string>,
): Promise<KindCount[]> {
  const groups = await Promise.all(references.map((reference) => sizesOfGroup(`RESTS#${reference}`)))
  const counts = new Map<string, KindCount>()
  const add = (kind: string, member: 'alone' | 'supported', by: number) => {
    const known = kindKeys.find((it) => it === kind)
    if (!known) return
    const count = counts.get(kind) ?? { kind: known, alone: 0, supported: 0 }
    counts.set(kind, { ...count, [member]: count[member] + by })
  }
  for (const [list, size] of groups.flatMap((sizes) => [...sizes])) {
    const [audience = '', kind = '', support] = list.split('#')
    if (audiences.includes(audience)) add(kind, support === 'alone' ? 'alone' : 'supported', size)
  }
  for (const { entry, footing } of shared) {
    const within = footing.references.filter((reference) => fallen.has(reference)).length
    const falls = fallsWith(footing, fallen)
    add(entry.kind, 'supported', falls ? -within : 1 - within)
    if (falls) add(entry.kind, 'alone', 1)
  }
  return [...counts.values()]
    .filter(({ alone, supported }) => alone > 0 || supported > 0)
    .sort((a, b) => kindKeys.indexOf(a.kind) - kindKeys.indexOf(b.kind))
}

type Reading = { actor: Actor | null; fallen: ReadonlySet<string>; source_id: string | undefined }

/**
 * Adds to each value its record, what would stand in its place, and the decision on it. Entries may lag: values whose record the caller may
 * not see now are left out.
 */
async function withRecords(page: readonly Value[], { actor, fallen, source_id }: Reading): Promise<DependentValue[]> {
  const ids = [...new Set(page.map(({ entry }) => entry.entity_id))]
  const found = await getMany([
    ...ids.map(key.head),
    ...(source_id === undefined ? [] : ids.map((id) => key.sourceRuling(source_id, id))),
  ])
  const values = page.flatMap(({ entry: { entity_id }, footing }) => {
    const record = itemIn(found, recordItem, { entity_id })
    if (!record?.public || record.deleted_at || !maySee(actor, record)) return []
    const stays = !fallsWith(footing, fallen)
    const next = stays ? undefined : successorWithout(footing, fallen)
    return [
      {
        record,
        footing,
        stays,
        instead: next ? { claim: next.claim, value: next.value } : null,
        ruling: source_id === undefined ? undefined : itemIn(found, sourceRuling, { source_id, entity_id }),
      },
    ]
  })
  return showLinks(values, actor)
}

const namesRecord = ({ record, footing }: DependentValue): boolean =>
  kinds[record.kind].fields[footing.property]?.type === 'relation' || footing.property.includes('.')

/**
 * Reads the claims of values that are links, since the stored text may name a record that the reader may not see. A value of which the
 * reader may see nothing is left out. No call without links.
 */
async function showLinks(values: readonly DependentValue[], actor: Actor | null): Promise<DependentValue[]> {
  const links = values.filter(namesRecord)
  if (links.length === 0) return [...values]
  const claimsOf = ({ footing, instead }: DependentValue) => [footing.claim, ...(instead ? [instead.claim] : [])]
  const packs = await getMany(links.flatMap(claimsOf).map(key.ofClaim))
  const claimIn = (id: string) => {
    const pack = itemAt(packs, key.ofClaim(id))
    return pack ? claimsIn(pack).filter((it) => it.id === id) : []
  }
  const records = links.map((it) => ({ ...it.record, assertions: claimsOf(it).flatMap(claimIn) }))
  const claims = (await showRecords(actor, records)).flatMap((it) => it.assertions)
  const shown = new Map(claims.map((claim) => [claim.id, textOfClaim(claim)]))
  return values.flatMap((it) => {
    if (!namesRecord(it)) return [it]
    const value = shown.get(it.footing.claim)
    if (value === undefined) return []
    const other = it.instead && shown.get(it.instead.claim)
    const instead = it.instead && other ? { ...it.instead, value: other } : null
    return [{ ...it, footing: { ...it.footing, value }, instead }]
  })
}
