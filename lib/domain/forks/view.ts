import { getMany, itemIn, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayReadFork } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { peopleIn } from '../../platform/users/people.ts'
import { textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type RecordItem, revision } from '../records/items.ts'
import { keysToShow, loadNamed, showLoaded } from '../records/shown.ts'
import { namesInOrder } from '../records/views/order.ts'
import { publicStatus, visibleValues } from '../records/views/record.ts'
import { differingNames } from './compare.ts'
import { type ForkSubject, forkStates, forkTags, stateOf } from './items.ts'

/** A value as comparisons show it: lists and links as text, null if it is absent. */
const shownValue = (value: unknown) => (Array.isArray(value) ? textOf(value) : (value ?? null))

export type Differences = Record<string, { old: unknown; new: unknown }>

/** One side of a comparison: a record with the values that are compared. */
type Side = { record: RecordItem; data: Values }

/** Compares the sides as this caller sees them, in the order of the fields. Two calls at most for all pairs. */
export async function compareSides(
  pairs: readonly { before: Side; after: Side; names?: readonly string[] }[],
  actor: Actor | null,
): Promise<Differences[]> {
  const sides = pairs.flatMap(({ before, after }) => [before, after]).map(({ record, data }) => ({ ...record, data }))
  const shown = showLoaded(actor, sides, await loadNamed(keysToShow(sides)))
  const valuesAt = (i: number): Values => (shown[i] ? visibleValues(shown[i], shown[i].data, actor) : {})
  return pairs.map(({ before, after, names }, i) => {
    const [old, next] = [valuesAt(2 * i), valuesAt(2 * i + 1)]
    const differing = (names ?? differingNames(before.data, after.data)).filter((name) => name in old || name in next)
    return Object.fromEntries(
      namesInOrder(before.record.kind, differing).map((name) => [
        name,
        { old: shownValue(old[name]), new: shownValue(next[name]) },
      ]),
    )
  })
}

/** Reads what each fork changed when it was made. Forks whose values the caller may not read are left out. Two calls at most. */
async function loadSummaries(forks: readonly ForkSubject[], actor: Actor | null): Promise<Map<string, Differences>> {
  const read = forks.filter((it) => mayReadFork(actor, it) && it.about.fields.length > 0)
  if (read.length === 0) return new Map()
  const keysOf = ({ about }: ForkSubject) => [
    key.revision(about.entity_id, about.base_revision),
    key.revision(about.id, 1),
  ]
  const found = await getMany(read.flatMap(keysOf))
  const valuesIn = (entity_id: string, revision_number: number): Values =>
    itemIn(found, revision, { entity_id, revision_number })?.data ?? {}
  const differences = await compareSides(
    read.map(({ about, record, original }) => ({
      before: { record: original, data: valuesIn(about.entity_id, about.base_revision) },
      after: { record, data: valuesIn(about.id, 1) },
      names: about.fields,
    })),
    actor,
  )
  return new Map(read.map(({ about }, i) => [about.id, differences[i] ?? {}]))
}

/**
 * The name of a fork: of its record for those who may read it, else of the original. Names are shown as they are today, so no stored text
 * holds the name of a person.
 */
export function forkName(it: ForkSubject, actor: Actor | null, username: string): string {
  return `${mayReadFork(actor, it) ? it.record.name : it.original.name} (fork by ${username})`
}

/** The status of a fork's record, or `merged`. A caller who may not read the record gets `pending_review`. */
export function forkedStatus(it: ForkSubject, actor: Actor | null): string {
  if (it.about.state === 'merged') return 'merged'
  if (mayReadFork(actor, it) && !it.record.public) return it.record.status
  return it.record.public ? publicStatus(it.record) : 'pending_review'
}

/** Shows forks as this caller sees them. `found` holds the people whom they name. Three calls at most. */
export async function forkRows(forks: readonly ForkSubject[], found: ReadonlyMap<string, Stored>, actor: Actor | null) {
  const people = peopleIn(found)
  const summaries = await loadSummaries(forks, actor)
  return forks.map((it) => {
    const { about, original } = it
    const isRead = mayReadFork(actor, it)
    const by = people(about.forked_by)
    const isTaken = about.state === 'merged' || about.state === 'promoted'
    const judge = isTaken ? people(about.judged_by) : null
    const state = stateOf(about, it.record)
    return {
      id: about.id,
      original_entity: about.entity_id,
      original_entity_name: original.name,
      forked_entity: about.id,
      forked_entity_id: about.id,
      forked_entity_name: forkName(it, actor, by?.username ?? ''),
      forked_entity_status: forkedStatus(it, actor),
      forked_by: by,
      forked_from_revision: about.base_revision_id,
      reason: isRead ? about.reason : '',
      fork_reason_tag: about.tag,
      fork_reason_tag_display: forkTags[about.tag].label,
      fork_status: state,
      fork_status_display: forkStates[state],
      diff_summary: summaries.get(about.id) ?? {},
      diff_field_count: about.fields.length,
      diff_fields: namesInOrder(original.kind, about.fields),
      values_withheld: !isRead,
      merged_at: isTaken ? about.judged_at : null,
      merged_by: judge,
      merged_by_username: judge?.username ?? null,
      created_at: about.created_at,
    }
  })
}
