import { isConflict } from '../errors.ts'
import { recordId } from '../ids/address.ts'
import { type Kind, type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import { isLink } from '../names/text.ts'
import { type Actor, maySee } from '../permissions.ts'
import { addCounted, parse, putAlways, removeCounted, removeEntry, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { countsOfRelated, getMany, itemAt, queryBetween } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { type Assertion, type LinkItem, link, type RecordItem, recordItem } from './items.ts'

/**
 * Which records name each other. Kept by the projector from what is public: both directions of every relation under
 * RELATED#, and beside tangible records the events, deities and guthis that name them.
 */
export type Edge = { from: string; fromKind: KindKey; to: string; toKind: KindKey; relation: string }

/** The edges that a public record's values and an accepted relationship make. */
export function edgesOf(it: RecordItem | undefined): Edge[] {
  if (!it?.public || it.deleted_at) return []
  const { fields } = kinds[it.kind]
  return Object.entries(it.data).flatMap(([relation, value]) => {
    const target = fields[relation]?.relation
    if (!target || !kinds[target].record || !Array.isArray(value)) return []
    return value.filter(isLink).flatMap(({ id }) =>
      typeof id === 'number'
        ? [
            {
              from: it.entity_id,
              fromKind: it.kind,
              to: recordId(kinds[target].code, id),
              toKind: target,
              relation,
            },
          ]
        : [],
    )
  })
}

/** The edge of an accepted relationship; its record is public, since only such claims are accepted. */
export function edgeOf(it: Assertion | undefined): Edge[] {
  const kind = kindOfScope(it?.object_entity_type ?? '')
  if (!it || !kind || it.reconciliation_status !== 'accepted' || it.object_entity_id === null) return []
  const to = kind.record ? recordId(kind.code, Number(it.object_entity_id)) : String(it.object_entity_id)
  const relation = it.asserted_property.replace(/^relationship\./, '')
  return [{ from: it.entity_id, fromKind: it.kind, to, toKind: kind.key, relation }]
}

/** Makes the stored edges those of `after` where they were those of `before`. Repeating it changes nothing. */
export async function linkWrites(before: readonly Edge[], after: readonly Edge[]): Promise<void> {
  const place = (it: Edge) => `${it.from} ${it.relation} ${it.to}`
  const [old, next] = [new Map(before.map((it) => [place(it), it])), new Map(after.map((it) => [place(it), it]))]
  const writes = [
    ...[...next]
      .filter(([at]) => !old.has(at))
      .flatMap(([, it]) => bothWays(it).map(([at, list, entry]) => addCounted(at, entry, list))),
    ...[...old]
      .filter(([at]) => !next.has(at))
      .flatMap(([, it]) => bothWays(it).map(([at, list]) => removeCounted(at, list))),
  ]
  for (const write of writes) await once(write)
}

const relatedList = (to: string, kind: string) => `RELATED#${to}#${kind}`
const bothWays = (it: Edge) =>
  [
    [key.related(it.to, it.fromKind, it.from, it.relation), relatedList(it.to, it.fromKind), { record: it.from }],
    [key.related(it.from, it.toKind, it.to, it.relation), relatedList(it.from, it.toKind), { record: it.to }],
  ] as const

/** An effect whose condition fails has been there before. */
async function once(write: Write): Promise<void> {
  try {
    await transact([write])
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}

/** Puts the cards of a record beside the tangible records that it names, and takes away those of before. */
export async function showBeside(before: RecordItem | undefined, after: RecordItem | undefined): Promise<void> {
  const [old, next] = [cardsOf(before), cardsOf(after)]
  const writes = [
    ...[...next]
      .filter(([place, it]) => JSON.stringify(old.get(place)) !== JSON.stringify(it))
      .map(([, it]) => putAlways(link, it)),
    ...[...old]
      .filter(([place]) => !next.has(place))
      .map(([, it]) => removeEntry(key.link(it.to, it.from, it.relation))),
  ]
  for (const write of writes) await transact([write])
}

function cardsOf(it: RecordItem | undefined): Map<string, LinkItem> {
  if (!it || !showsBeside(kinds[it.kind])) return new Map()
  const { id, name, kind, access_tier } = it
  return new Map(
    edgesOf(it)
      .filter(({ toKind }) => kinds[toKind].category === 'tangible')
      .map(({ from, to, relation }) => [
        `${to} ${relation}`,
        { to, from, relation, kind, id, name, access_tier, version: 1 },
      ]),
  )
}

const showsBeside = ({ key: kind, category }: Kind) =>
  category === 'event' || category === 'kumari' || kind === 'deity' || kind === 'guthi'

export type Group = { kind: KindKey; count: number; heads: RecordItem[]; more: boolean }

/** The records related to one, by kind: one page of each group, or of one. Two calls beside one per group. */
export async function relatedTo(
  record: string,
  only: KindKey | undefined,
  page: number,
  size: number,
  actor: Actor | null,
): Promise<Group[]> {
  const sizes = await countsOfRelated(record)
  const wanted = [...sizes].flatMap(([scope, count]) => {
    const kind = kindOfScope(scope)?.key
    return kind && count > 0 && (!only || only === kind) ? [{ kind, count }] : []
  })
  const pages = await Promise.all(
    wanted.map(({ kind }) => queryBetween(`RELATED#${record}`, `${kind}#`, `${kind}#~`, page * size)),
  )
  const ids = pages.map((entries) => [
    ...new Set(entries.slice((page - 1) * size).map((entry) => String(entry.record))),
  ])
  const found = await getMany(ids.flat().map(key.head))
  return wanted.map(({ kind, count }, i) => {
    const heads = (ids[i] ?? [])
      .flatMap((id) => itemAt(found, key.head(id)) ?? [])
      .map((item) => parse(recordItem, item))
      .filter((it) => maySee(actor, it) && !it.deleted_at)
    return { kind, count, heads, more: page * size < count }
  })
}
