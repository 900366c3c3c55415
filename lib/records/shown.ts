import * as v from 'valibot'
import { addressOf } from '../ids/address.ts'
import { type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import { isLink, textOf } from '../names/text.ts'
import type { Link, Values } from '../names/values.ts'
import { type Actor, mayInspect, worksOn } from '../permissions.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { peopleIn as peopleAmong, usernameOf } from '../users/people.ts'
import { keyOf as userKeyOf } from '../users/users.ts'
import type { Claim } from './assertions.ts'
import { ClaimPack, claimsIn } from './claim-packs.ts'
import { type Assertion, isSettled, type RecordItem, type RecordRow, type Revision } from './items.ts'
import { keyOf, nameOf, Target } from './relations.ts'

/**
 * What a reader may be shown of records. A link is shown, by the name of today, to whoever may see its end; to others the
 * words of the contributor stand for it, or nothing where it was given by an id. People go by their usernames of today.
 * Views take nothing else, so none can show what is hidden.
 */
declare const shown: unique symbol
/** What only the functions of this file make. */
export type Shown<T> = T & { readonly [shown]: true }
const asShown = <T>(it: T) => it as Shown<T>

/** A link as it is shown: `id` is null where its end is hidden. */
type ShownLink = Omit<Link, 'id' | 'text'> & { id: Link['id'] | null }

/** A record with what was loaded beside it. */
type Whole = RecordRow & {
  proposed?: RecordItem['proposed']
  assertions?: Assertion[]
  revisions?: Revision[]
  lease?: { held_by: string; username: string } | null
}

/** Everything that must be looked up to show these records. */
export const namedIn = (things: readonly Whole[]): Key[] => things.flatMap((it) => [...keysIn(it), ...peopleIn(it)])

/** Records as the caller may be shown them, where `found` has everything that is `namedIn` them. */
export const shownAmong = <T extends Whole>(
  actor: Actor | null,
  things: readonly T[],
  found: ReadonlyMap<string, Stored>,
): Shown<T>[] => {
  const sight = sightIn(found, actor)
  return things.map((it) => asShown(recordIn(sight, it)))
}

/** Records as the caller may be shown them. One call for each hundred things that they name. */
export const shownTo = async <T extends Whole>(actor: Actor | null, things: readonly T[]): Promise<Shown<T>[]> =>
  shownAmong(actor, things, await namedBy(namedIn(things)))

/** One record as the caller may be shown it. */
export const shownOne = async <T extends Whole>(actor: Actor | null, it: T): Promise<Shown<T>> =>
  asShown(recordIn(sightIn(await namedBy(namedIn([it])), actor), it))

/** One record as the caller may be shown it, with other things whole that are read together with what it names. */
export async function shownBeside<T extends Whole>(
  actor: Actor | null,
  it: T,
  others: readonly Key[],
): Promise<{ it: Shown<T>; found: ReadonlyMap<string, Stored> }> {
  const found = await getMany([...namedIn([it]), ...others])
  return { it: asShown(recordIn(sightIn(found, actor), it)), found }
}

/** Claims as the caller may be shown them; one that says nothing but what is hidden is left out. */
export async function shownClaims(actor: Actor | null, claims: readonly Claim[]): Promise<Shown<Claim>[]> {
  const wanted = claims.flatMap(({ claim }) => [...keysOfClaim(claim), userKeyOf(claim.contributor_id)])
  const sight = sightIn(await namedBy(wanted), actor)
  return claims.flatMap((it) => claimIn(sight, it.claim).map((claim) => asShown({ ...it, claim })))
}

/** What is read of claims, of all things, and of people where they are only named. */
const namedMembers = [
  ...Object.keys({ ...ClaimPack.entries, ...Target.entries }),
  ...['id', 'username', 'first_name', 'last_name'],
]
/** What is `namedIn` some things, as far as it is shown. */
export const namedBy = (keys: readonly Key[]) => getMany(keys, false, namedMembers)

type Sight = {
  /** The link as it is shown; undefined where it is not. */
  link: (kind: KindKey, it: Link) => ShownLink | undefined
  /** What is called so and lies there, if the caller may see it. */
  name: (kind: KindKey, id: Link['id']) => string | undefined
  username: (id: string, stored: string) => string
}

function sightIn(found: ReadonlyMap<string, Stored>, actor: Actor | null): Sight {
  const people = peopleAmong(found)
  // The rows of a page name the same things over and over.
  const names = new Map<string, string | undefined>()
  const name = (kind: KindKey, id: Link['id']) => {
    const asked = `${kind} ${typeof id} ${id}`
    if (!names.has(asked)) names.set(asked, visibleName(found, kind, id, actor))
    return names.get(asked)
  }
  return {
    name,
    link: (kind, { text, id, name: _, ...rest }) => {
      const today = name(kind, id)
      if (today !== undefined) return { ...rest, id, name: today }
      return text === undefined ? undefined : { id: null, name: text }
    },
    username: (id, stored) => usernameOf(people, id, stored),
  }
}

function visibleName(found: ReadonlyMap<string, Stored>, kind: KindKey, id: Link['id'], actor: Actor | null) {
  if (kind === 'assertion') return visibleClaim(found, String(id), actor)
  const at = keyOf(kind, id)
  const stored = at && itemAt(found, at)
  const target = stored && v.parse(Target, stored)
  return target && mayInspect(actor, target) ? nameOf(target) : undefined
}

/** A claim goes by its value in words, or by its property where the value is a record, which may be hidden. */
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

/** The links of a property, with the kind to which they lead; undefined for what is no relation. */
function linksIn(kind: KindKey, property: string, value: unknown): { to: KindKey; links: Link[] } | undefined {
  const to = kinds[kind].fields[property]?.relation
  return to && Array.isArray(value) ? { to, links: value.filter(isLink) } : undefined
}

const keysOfLinks = (kind: KindKey, property: string, value: unknown): Key[] => {
  const { to, links = [] } = linksIn(kind, property, value) ?? {}
  if (!to) return []
  const records = to === 'assertion' ? links.flatMap(({ id }) => addressOf(String(id))?.record ?? []) : []
  return [...links.flatMap(({ id }) => keyOf(to, id) ?? []), ...records.map(key.head)]
}

const keysOfValues = (kind: KindKey, values: Values | null): Key[] =>
  Object.entries(values ?? {}).flatMap(([property, value]) => keysOfLinks(kind, property, value))

const keysIn = (it: Whole): Key[] => [
  ...[it.data, it.proposed ?? null, ...(it.revisions ?? []).map(({ data }) => data)].flatMap((each) =>
    keysOfValues(it.kind, each),
  ),
  ...(it.assertions ?? []).flatMap(keysOfClaim),
]

const peopleIn = ({ contributor_id, assertions = [], lease }: Whole): Key[] =>
  [contributor_id, ...assertions.map((one) => one.contributor_id), ...(lease ? [lease.held_by] : [])].map(userKeyOf)

function keysOfClaim(it: Assertion): Key[] {
  const end = endOf(it)
  const named = [...supportOf(it).map(key.source), ...(end ? [keyOf(end.kind, end.id)] : [])]
  const elsewhere = [it.supersedes, it.refines].flatMap((id) => foreignRecord(it, id) ?? []).map(key.head)
  return [
    ...keysOfLinks(it.kind, it.asserted_property, it.value),
    ...named.filter((at) => at !== undefined),
    ...elsewhere,
  ]
}

const supportOf = (it: Assertion): string[] => [...(it.source ? [it.source] : []), ...it.supporting_sources]

/** The record at the other end of a relationship. */
function endOf({ object_entity_type, object_entity_id }: Assertion): { kind: KindKey; id: Link['id'] } | undefined {
  const kind = kindOfScope(object_entity_type ?? '')
  return kind && object_entity_id !== null ? { kind: kind.key, id: object_entity_id } : undefined
}

/** Of a claim about another record than this one's, that record: its id carries the address. */
function foreignRecord({ entity_id }: Assertion, id: string | null): string | undefined {
  const record = id === null ? undefined : addressOf(id)?.record
  return record === entity_id ? undefined : record
}

function recordIn<T extends Whole>(sight: Sight, it: T): T {
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
 * Values with their links as they are shown, in the order of the kind's fields, then the others by name: the table keeps no order,
 * and equal values are equal answers. A relation of which nothing is shown is not there.
 */
function valuesIn(sight: Sight, kind: KindKey, values: Values): Values {
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
/** At which place a kind has a field. */
function ordinalsOf(kind: KindKey): ReadonlyMap<string, number> {
  const found = ordinals.get(kind) ?? new Map(Object.keys(kinds[kind].fields).map((name, i) => [name, i]))
  ordinals.set(kind, found)
  return found
}

/** The links of a relation as they are shown; undefined for what is none. */
function shownLinks(sight: Sight, kind: KindKey, property: string, value: unknown): ShownLink[] | undefined {
  const found = linksIn(kind, property, value)
  return found?.links.flatMap((each) => sight.link(found.to, each) ?? [])
}

/** A claim as it is shown, or nothing. */
function claimIn(sight: Sight, it: Assertion): Assertion[] {
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

/** A relationship goes by the words of its claim, else by what its other end is called. */
function endIn(sight: Sight, it: Assertion, common: Assertion): Assertion[] {
  const end = endOf(it)
  if (!end) return [common]
  const name = sight.name(end.kind, end.id)
  if (name !== undefined) return [{ ...common, asserted_value: it.asserted_value || name }]
  return it.asserted_value ? [{ ...common, object_entity_type: null, object_entity_id: null }] : []
}
