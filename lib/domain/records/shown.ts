import * as v from 'valibot'
import { addressOf } from '../../base/ids/address.ts'
import { omit } from '../../base/omit.ts'
import { getMany, itemAt, type Key, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayInspect, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { peopleIn as peopleAmong, usernameOf } from '../../platform/users/people.ts'
import { keyOf as userKeyOf } from '../../platform/users/users.ts'
import { type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import { isLink, textOf } from '../names/text.ts'
import type { Link, Values } from '../names/values.ts'
import type { ClaimWithRecord } from './assertions.ts'
import { ClaimPack, claimsIn } from './claim-packs.ts'
import { type Assertion, isSettled, type RecordItem, type RecordRow, type Revision } from './items.ts'
import { Target, targetKey, targetName } from './relations.ts'

/**
 * Records as one reader may see them.
 *
 * - A reader who may see the target of a link sees its name of today.
 * - Any other reader sees the contributor's words, or no link if an id was sent.
 * - People have their username of today.
 *
 * Views take only `Visible` records, so no view can show what is hidden.
 */
declare const visible: unique symbol
/** Only this file makes one. */
export type Visible<T> = T & { readonly [visible]: true }
const asVisible = <T>(it: T) => it as Visible<T>

/** A link as a reader sees it. `id` is null if the target is hidden. */
type ShownLink = Omit<Link, 'id' | 'text'> & { id: Link['id'] | null }

type ShowableRecord = RecordRow & {
  proposed?: RecordItem['proposed']
  assertions?: Assertion[]
  revisions?: Revision[]
  lease?: { held_by: string; username: string } | null
}

/** Read these keys before showing the records: link targets and people. */
export const keysToShow = (things: readonly ShowableRecord[]): Key[] =>
  things.flatMap((it) => [...keysIn(it), ...peopleIn(it)])

/** Shows records with what was read before: `found` holds the items under `keysToShow`. */
export const showLoaded = <T extends ShowableRecord>(
  actor: Actor | null,
  things: readonly T[],
  found: ReadonlyMap<string, Stored>,
): Visible<T>[] => {
  const sight = readerLookup(found, actor)
  return things.map((it) => asVisible(recordIn(sight, it)))
}

/** One call for each hundred link targets and people. */
export const showRecords = async <T extends ShowableRecord>(
  actor: Actor | null,
  things: readonly T[],
): Promise<Visible<T>[]> => showLoaded(actor, things, await loadNamed(keysToShow(things)))

export const showRecord = async <T extends ShowableRecord>(actor: Actor | null, it: T): Promise<Visible<T>> =>
  asVisible(recordIn(readerLookup(await loadNamed(keysToShow([it])), actor), it))

/** Like `showRecord`; the same call reads `others`. */
export async function showRecordBeside<T extends ShowableRecord>(
  actor: Actor | null,
  it: T,
  others: readonly Key[],
): Promise<{ it: Visible<T>; found: ReadonlyMap<string, Stored> }> {
  const found = await getMany([...keysToShow([it]), ...others])
  return { it: asVisible(recordIn(readerLookup(found, actor), it)), found }
}

/** A claim whose only value is hidden is left out. */
export async function showClaims(
  actor: Actor | null,
  claims: readonly ClaimWithRecord[],
): Promise<Visible<ClaimWithRecord>[]> {
  const wanted = claims.flatMap(({ claim }) => [...keysOfClaim(claim), userKeyOf(claim.contributor_id)])
  const sight = readerLookup(await loadNamed(wanted), actor)
  return claims.flatMap((it) => claimIn(sight, it.claim).map((claim) => asVisible({ ...it, claim })))
}

/** To name claims, targets and people, these members suffice. */
const namedMembers = [
  ...Object.keys({ ...ClaimPack.entries, ...Target.entries }),
  ...['id', 'username', 'first_name', 'last_name'],
]
/** Reads only the members that names need. */
export const loadNamed = (keys: readonly Key[]) => getMany(keys, false, namedMembers)

type ReaderLookup = {
  /** Undefined if the link is left out. */
  link: (kind: KindKey, it: Link) => ShownLink | undefined
  /** Undefined if the caller may not see the target. */
  name: (kind: KindKey, id: Link['id']) => string | undefined
  username: (id: string, stored: string) => string
}

function readerLookup(found: ReadonlyMap<string, Stored>, actor: Actor | null): ReaderLookup {
  const people = peopleAmong(found)
  // Rows of one page often name the same records.
  const names = new Map<string, string | undefined>()
  const name = (kind: KindKey, id: Link['id']) => {
    const asked = `${kind} ${typeof id} ${id}`
    if (!names.has(asked)) names.set(asked, visibleTargetName(found, kind, id, actor))
    return names.get(asked)
  }
  return {
    name,
    link: (kind, stored) => {
      const today = name(kind, stored.id)
      if (today !== undefined) return { ...omit(stored, 'text'), name: today }
      return stored.text === undefined ? undefined : { id: null, name: stored.text }
    },
    username: (id, stored) => usernameOf(people, id, stored),
  }
}

function visibleTargetName(found: ReadonlyMap<string, Stored>, kind: KindKey, id: Link['id'], actor: Actor | null) {
  if (kind === 'assertion') return visibleClaim(found, String(id), actor)
  const at = targetKey(kind, id)
  const stored = at && itemAt(found, at)
  const target = stored && v.parse(Target, stored)
  return target && mayInspect(actor, target) ? targetName(target) : undefined
}

/**
 * A claim is named by its value. If the value is a link, it is named by its property, because the target may be hidden.
 */
function visibleClaim(found: ReadonlyMap<string, Stored>, id: string, actor: Actor | null): string | undefined {
  const record = addressOf(id)?.record ?? ''
  const [stored, head] = [itemAt(found, key.ofClaim(id)), itemAt(found, key.head(record))]
  const it = stored && claimsIn(stored).find((one) => one.id === id)
  if (!it || !head) return undefined
  const about = v.parse(Target, head)
  if (!mayInspect(actor, about)) return undefined
  if (!isSettled(it) && !worksOn(actor, about) && actor?.id !== it.contributor_id) return undefined
  return Array.isArray(it.value) || it.object_entity_id !== null ? it.asserted_property : it.asserted_value
}

/** Undefined where the property is no relation. */
function linksIn(kind: KindKey, property: string, value: unknown): { to: KindKey; links: Link[] } | undefined {
  const to = kinds[kind].fields[property]?.relation
  return to && Array.isArray(value) ? { to, links: value.filter(isLink) } : undefined
}

const keysOfLinks = (kind: KindKey, property: string, value: unknown): Key[] => {
  const { to, links = [] } = linksIn(kind, property, value) ?? {}
  if (!to) return []
  const records = to === 'assertion' ? links.flatMap(({ id }) => addressOf(String(id))?.record ?? []) : []
  return [...links.flatMap(({ id }) => targetKey(to, id) ?? []), ...records.map(key.head)]
}

const keysOfValues = (kind: KindKey, values: Values | null): Key[] =>
  Object.entries(values ?? {}).flatMap(([property, value]) => keysOfLinks(kind, property, value))

const keysIn = (it: ShowableRecord): Key[] => [
  ...[it.data, it.proposed ?? null, ...(it.revisions ?? []).map(({ data }) => data)].flatMap((each) =>
    keysOfValues(it.kind, each),
  ),
  ...(it.assertions ?? []).flatMap(keysOfClaim),
]

const peopleIn = ({ contributor_id, assertions = [], lease }: ShowableRecord): Key[] =>
  [contributor_id, ...assertions.map((one) => one.contributor_id), ...(lease ? [lease.held_by] : [])].map(userKeyOf)

function keysOfClaim(it: Assertion): Key[] {
  const end = endOf(it)
  const named = [...supportOf(it).map(key.source), ...(end ? [targetKey(end.kind, end.id)] : [])]
  const elsewhere = [it.supersedes, it.refines].flatMap((id) => foreignRecord(it, id) ?? []).map(key.head)
  return [
    ...keysOfLinks(it.kind, it.asserted_property, it.value),
    ...named.filter((at) => at !== undefined),
    ...elsewhere,
  ]
}

const supportOf = (it: Assertion): string[] => [...(it.source ? [it.source] : []), ...it.supporting_sources]

/** The other record of a relationship claim. */
function endOf({ object_entity_type, object_entity_id }: Assertion): { kind: KindKey; id: Link['id'] } | undefined {
  const kind = kindOfScope(object_entity_type ?? '')
  return kind && object_entity_id !== null ? { kind: kind.key, id: object_entity_id } : undefined
}

/**
 * The record of claim `id`, where it is another one than that of the first claim. The id of a claim contains its
 * record.
 */
function foreignRecord({ entity_id }: Assertion, id: string | null): string | undefined {
  const record = id === null ? undefined : addressOf(id)?.record
  return record === entity_id ? undefined : record
}

function recordIn<T extends ShowableRecord>(sight: ReaderLookup, it: T): T {
  return {
    ...it,
    data: valuesIn(sight, it.kind, it.data),
    ...(it.proposed && { proposed: valuesIn(sight, it.kind, it.proposed) }),
    contributor: sight.username(it.contributor_id, it.contributor),
    ...(it.assertions && { assertions: it.assertions.flatMap((one) => claimIn(sight, one)) }),
    ...(it.revisions && {
      revisions: it.revisions.map((one) => ({ ...one, data: valuesIn(sight, it.kind, one.data) })),
    }),
    ...(it.lease && { lease: { ...it.lease, username: sight.username(it.lease.held_by, it.lease.username) } }),
  }
}

/**
 * Values with their links as the reader sees them, in the order of the kind's fields, then by name. The table does not keep the
 * order of members, and equal values must give equal answers. A relation without visible links is left out.
 */
function valuesIn(sight: ReaderLookup, kind: KindKey, values: Values): Values {
  const ordinals = ordinalsOf(kind)
  const ordinal = (name: string) => ordinals.get(name) ?? ordinals.size
  const names = Object.keys(values).sort((a, b) => ordinal(a) - ordinal(b) || (a < b ? -1 : 1))
  const entries: [string, unknown][] = []
  for (const name of names) {
    const links = shownLinks(sight, kind, name, values[name])
    if (links?.length !== 0) entries.push([name, links ?? values[name]])
  }
  return Object.fromEntries(entries)
}

const ordinals = new Map<KindKey, ReadonlyMap<string, number>>()
function ordinalsOf(kind: KindKey): ReadonlyMap<string, number> {
  const found = ordinals.get(kind) ?? new Map(Object.keys(kinds[kind].fields).map((name, i) => [name, i]))
  ordinals.set(kind, found)
  return found
}

/** Undefined where the property is no relation. */
function shownLinks(sight: ReaderLookup, kind: KindKey, property: string, value: unknown): ShownLink[] | undefined {
  const found = linksIn(kind, property, value)
  return found?.links.flatMap((each) => sight.link(found.to, each) ?? [])
}

/** Empty if the value of the claim is hidden. */
function claimIn(sight: ReaderLookup, it: Assertion): Assertion[] {
  const source = (id: string) => sight.name('data_source', id) !== undefined
  const elsewhere = (id: string | null) => {
    const record = foreignRecord(it, id)
    return record === undefined || sight.name('entity', record) !== undefined ? id : null
  }
  const common = {
    ...it,
    contributed_by: sight.username(it.contributor_id, it.contributed_by),
    source: it.source && source(it.source) ? it.source : null,
    supporting_sources: it.supporting_sources.filter(source),
    supersedes: elsewhere(it.supersedes),
    refines: elsewhere(it.refines),
  }
  const links = shownLinks(sight, it.kind, it.asserted_property, it.value)
  if (links) return links.length > 0 ? [{ ...common, value: links, asserted_value: textOf(links) }] : []
  return endIn(sight, it, common)
}

/** A relationship shows the words of its claim, else the name of the other record. Empty if both are missing or hidden. */
function endIn(sight: ReaderLookup, it: Assertion, common: Assertion): Assertion[] {
  const end = endOf(it)
  if (!end) return [common]
  const name = sight.name(end.kind, end.id)
  if (name !== undefined) return [{ ...common, asserted_value: it.asserted_value || name }]
  return it.asserted_value ? [{ ...common, object_entity_type: null, object_entity_id: null }] : []
}
