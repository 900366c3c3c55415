import * as v from 'valibot'
import { addressOf } from '../../base/ids/address.ts'
import { omit } from '../../base/omit.ts'
import { getMany, itemAt, type Key, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayInspect, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { peopleIn as peopleAmong, usernameOf } from '../../platform/users/people.ts'
import { keyOf as userKeyOf } from '../../platform/users/users.ts'
import { type KindKey, kindOfScope, kinds, whenKindsChange } from '../kinds/index.ts'
import { isLink, textOf } from '../names/text.ts'
import type { Link, Values } from '../names/values.ts'
import { ClaimPack, claimsIn } from './claim-packs.ts'
import { type Assertion, type ForkOrigin, isSettled, type RecordItem, type RecordRow, type Revision } from './items.ts'
import { Target, targetKey, targetName } from './relations/relations.ts'

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
/** Only this file makes a `Visible` record. */
export type Visible<T> = T & { readonly [visible]: true }
const asVisible = <T>(shown: T) => shown as Visible<T>

/** A link as a reader sees it. `id` is null if the target is hidden. */
type ShownLink = Omit<Link, 'id' | 'text'> & { id: Link['id'] | null }

type ShowableRecord = RecordRow & {
  proposed?: RecordItem['proposed']
  assertions?: Assertion[]
  revisions?: Revision[]
  lease?: { held_by: string; username: string } | null
}

/** Returns the keys to read before the records are shown: link targets and people. */
export const keysToShow = (records: readonly ShowableRecord[]): Key[] =>
  records.flatMap((record) => [...keysIn(record), ...peopleKeysIn(record)])

/** Shows records with what was read before: `found` holds the items under `keysToShow`. */
export const showLoaded = <T extends ShowableRecord>(
  actor: Actor | null,
  records: readonly T[],
  found: ReadonlyMap<string, Stored>,
): Visible<T>[] => {
  const lookup = readerLookup(found, actor)
  return records.map((record) => asVisible(recordIn(lookup, record)))
}

/** Reads link targets and people, with one call for each hundred of these, and shows the records. */
export const showRecords = async <T extends ShowableRecord>(
  actor: Actor | null,
  records: readonly T[],
): Promise<Visible<T>[]> => showLoaded(actor, records, await loadNamed(keysToShow(records)))

/** Like `showRecords`, for one record. */
export const showRecord = async <T extends ShowableRecord>(actor: Actor | null, record: T): Promise<Visible<T>> =>
  asVisible(recordIn(readerLookup(await loadNamed(keysToShow([record])), actor), record))

/** Like `showRecord`. The same call reads the items under `others`. */
export async function showRecordBeside<T extends ShowableRecord>(
  actor: Actor | null,
  record: T,
  others: readonly Key[],
): Promise<{ it: Visible<T>; found: ReadonlyMap<string, Stored> }> {
  const found = await getMany([...keysToShow([record]), ...others])
  return { it: asVisible(recordIn(readerLookup(found, actor), record)), found }
}

/** Reads what claims name, and shows the claims. A claim whose only value is hidden is left out. */
export async function showClaims<T extends { claim: Assertion }>(
  actor: Actor | null,
  claims: readonly T[],
): Promise<Visible<T>[]> {
  const keys = claims.flatMap(({ claim }) => [...keysOfClaim(claim), userKeyOf(claim.contributor_id)])
  const lookup = readerLookup(await loadNamed(keys), actor)
  return claims.flatMap((it) => claimIn(lookup, it.claim).map((claim) => asVisible({ ...it, claim })))
}

/** The members that hold the names of claims, link targets and people, and the members that decide who sees these names. */
export const namedMembers: readonly string[] = [
  ...Object.keys({ ...ClaimPack.entries, ...Target.entries }),
  'id',
  'username',
  'first_name',
  'last_name',
]
/** Reads only the members by which items are named. */
export const loadNamed = (keys: readonly Key[]) => getMany(keys, false, namedMembers)

type ReaderLookup = {
  /** The link as the reader sees it. Undefined if it is left out. */
  link: (kind: KindKey, stored: Link) => ShownLink | undefined
  /** The name of a target. Undefined if the caller may not see it. */
  name: (kind: KindKey, id: Link['id']) => string | undefined
  username: (id: string, stored: string) => string
}

function readerLookup(found: ReadonlyMap<string, Stored>, actor: Actor | null): ReaderLookup {
  const people = peopleAmong(found)
  // Rows of one page often name the same records.
  const names = new Map<string, string | undefined>()
  const name = (kind: KindKey, id: Link['id']) => {
    const target = `${kind} ${typeof id} ${id}`
    if (!names.has(target)) names.set(target, visibleTargetName(found, kind, id, actor))
    return names.get(target)
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
  if (kind === 'assertion') return visibleClaimName(found, String(id), actor)
  const at = targetKey(kind, id)
  const stored = at && itemAt(found, at)
  const target = stored && v.parse(Target, stored)
  return target && mayInspect(actor, target) ? targetName(target) : undefined
}

/**
 * The name of a claim: its value. If the value is a link, the name is the property, because the link's target may be hidden.
 */
function visibleClaimName(found: ReadonlyMap<string, Stored>, id: string, actor: Actor | null): string | undefined {
  const record = addressOf(id)?.record ?? ''
  const [stored, head] = [itemAt(found, key.ofClaim(id)), itemAt(found, key.head(record))]
  const claim = stored && claimsIn(stored).find((it) => it.id === id)
  if (!claim || !head) return undefined
  const about = v.parse(Target, head)
  if (!mayInspect(actor, about)) return undefined
  if (!isSettled(claim) && !worksOn(actor, about) && actor?.id !== claim.contributor_id) return undefined
  return Array.isArray(claim.value) || claim.object_entity_id !== null ? claim.asserted_property : claim.asserted_value
}

/** Returns the links of a value, and the kind of their targets. Undefined if the property is no relation. */
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

function keysIn(record: ShowableRecord): Key[] {
  const { kind, data, proposed = null, revisions = [], assertions = [] } = record
  const values = [data, proposed, ...revisions.map((revision) => revision.data)]
  return [
    ...values.flatMap((each) => keysOfValues(kind, each)),
    ...assertions.flatMap(keysOfClaim),
    ...versionsOf(record).map(key.head),
  ]
}

/** The other versions that a record names: its parent and root if it is a fork, and the record that took its place. */
const versionsOf = ({ fork, superseded_by }: Pick<RecordRow, 'fork' | 'superseded_by'>): string[] => [
  ...new Set([...(fork ? [fork.parent, fork.root] : []), ...(superseded_by === null ? [] : [superseded_by])]),
]

const peopleKeysIn = ({ contributor_id, assertions = [], lease }: ShowableRecord): Key[] =>
  [contributor_id, ...assertions.map((claim) => claim.contributor_id), ...(lease ? [lease.held_by] : [])].map(userKeyOf)

function keysOfClaim(claim: Assertion): Key[] {
  const end = endOf(claim)
  const endKey = end && targetKey(end.kind, end.id)
  const foreign = [claim.supersedes, claim.refines].flatMap((id) => foreignRecord(claim, id) ?? [])
  return [
    ...keysOfLinks(claim.kind, claim.asserted_property, claim.value),
    ...sourcesOf(claim).map(key.source),
    ...(endKey ? [endKey] : []),
    ...foreign.map(key.head),
  ]
}

const sourcesOf = ({ source, supporting_sources }: Assertion): string[] =>
  source ? [source, ...supporting_sources] : supporting_sources

/** The other record of a relationship claim. */
function endOf({ object_entity_type, object_entity_id }: Assertion): { kind: KindKey; id: Link['id'] } | undefined {
  const kind = kindOfScope(object_entity_type ?? '')
  return kind && object_entity_id !== null ? { kind: kind.key, id: object_entity_id } : undefined
}

/** Returns the id of the record in which the claim `id` lies. Undefined without an id, or if the given claim is of the same record. */
function foreignRecord({ entity_id }: Assertion, id: string | null): string | undefined {
  const record = id === null ? undefined : addressOf(id)?.record
  return record === entity_id ? undefined : record
}

/** Returns a record with its values, claims and people as the reader sees them. */
function recordIn<T extends ShowableRecord>(lookup: ReaderLookup, record: T): T {
  return {
    ...record,
    data: valuesIn(lookup, record.kind, record.data),
    ...(record.proposed && { proposed: valuesIn(lookup, record.kind, record.proposed) }),
    contributor: lookup.username(record.contributor_id, record.contributor),
    fork: originIn(lookup, record.fork),
    superseded_by: record.superseded_by && isVisibleRecord(lookup, record.superseded_by) ? record.superseded_by : null,
    ...(record.assertions && { assertions: record.assertions.flatMap((claim) => claimIn(lookup, claim)) }),
    ...(record.revisions && {
      revisions: record.revisions.map((revision) => ({
        ...revision,
        data: valuesIn(lookup, record.kind, revision.data),
      })),
    }),
    ...(record.lease && {
      lease: { ...record.lease, username: lookup.username(record.lease.held_by, record.lease.username) },
    }),
  }
}

const isVisibleRecord = (lookup: ReaderLookup, entity_id: string) => lookup.name('entity', entity_id) !== undefined

/** The origin of a fork, as the reader sees it. Null if its parent is hidden: then the fork is shown as a record of its own. */
function originIn(lookup: ReaderLookup, fork: ForkOrigin | null): ForkOrigin | null {
  if (!fork || !isVisibleRecord(lookup, fork.parent)) return null
  return isVisibleRecord(lookup, fork.root) ? fork : { parent: fork.parent, root: fork.parent, depth: 1 }
}

/**
 * Returns values with their links as the reader sees them, in the order of the kind's fields, then by name. The table does not keep the
 * order of members, and equal values must give equal answers. A relation without visible links is left out.
 */
function valuesIn(lookup: ReaderLookup, kind: KindKey, values: Values): Values {
  const ordinals = ordinalsOf(kind)
  const ordinal = (name: string) => ordinals.get(name) ?? ordinals.size
  const names = Object.keys(values).sort((a, b) => ordinal(a) - ordinal(b) || (a < b ? -1 : 1))
  const entries: [string, unknown][] = []
  for (const name of names) {
    const links = shownLinks(lookup, kind, name, values[name])
    if (links?.length !== 0) entries.push([name, links ?? values[name]])
  }
  return Object.fromEntries(entries)
}

const ordinals = new Map<KindKey, ReadonlyMap<string, number>>()
whenKindsChange(() => ordinals.clear())
function ordinalsOf(kind: KindKey): ReadonlyMap<string, number> {
  const ofKind = ordinals.get(kind) ?? new Map(Object.keys(kinds[kind].fields).map((name, i) => [name, i]))
  ordinals.set(kind, ofKind)
  return ofKind
}

/** Returns the links of a value as the reader sees them. Undefined if the property is no relation. */
function shownLinks(lookup: ReaderLookup, kind: KindKey, property: string, value: unknown): ShownLink[] | undefined {
  const relation = linksIn(kind, property, value)
  return relation?.links.flatMap((link) => lookup.link(relation.to, link) ?? [])
}

/** Returns a claim as the reader sees it. Empty if the value of the claim is hidden. */
function claimIn(lookup: ReaderLookup, claim: Assertion): Assertion[] {
  const isVisibleSource = (id: string) => lookup.name('data_source', id) !== undefined
  const visibleClaimId = (id: string | null) => {
    const record = foreignRecord(claim, id)
    return record === undefined || lookup.name('entity', record) !== undefined ? id : null
  }
  const common = {
    ...claim,
    contributed_by: lookup.username(claim.contributor_id, claim.contributed_by),
    source: claim.source && isVisibleSource(claim.source) ? claim.source : null,
    supporting_sources: claim.supporting_sources.filter(isVisibleSource),
    supersedes: visibleClaimId(claim.supersedes),
    refines: visibleClaimId(claim.refines),
  }
  const links = shownLinks(lookup, claim.kind, claim.asserted_property, claim.value)
  if (links) return links.length > 0 ? [{ ...common, value: links, asserted_value: textOf(links) }] : []
  return endIn(lookup, claim, common)
}

/** A relationship shows the words of its claim, else the name of the other record. Empty if both are missing or hidden. */
function endIn(lookup: ReaderLookup, claim: Assertion, common: Assertion): Assertion[] {
  const end = endOf(claim)
  if (!end) return [common]
  const name = lookup.name(end.kind, end.id)
  if (name !== undefined) return [{ ...common, asserted_value: claim.asserted_value || name }]
  return claim.asserted_value ? [{ ...common, object_entity_type: null, object_entity_id: null }] : []
}
