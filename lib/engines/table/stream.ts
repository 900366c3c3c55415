import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { type Key, keyOf } from './keys.ts'
import { getMany, itemAt, type Stored } from './read.ts'
import { isPart, newIn } from './two-phase/part.ts'
import { switchedAmong, withoutStaging } from './two-phase/staged.ts'

/** A change as the stream hands it over. */
export type StreamRecord = DynamoDBRecord
/** An item before and after a change, as the stream tells it; undefined where there was or is none. */
export type Images = { before: Stored | undefined; after: Stored | undefined }

/** What a record of the stream says: the images as they are stored. */
type Said = { old: Stored | undefined; next: Stored | undefined }

/**
 * The changes that stream records tell of, for each in their order. What a large transaction has changed is told when its
 * before-image is cleared away, and what it has made when the part that names it is: what the items are by then is read, in
 * one call for a hundred of them.
 */
export async function changesOf(records: readonly DynamoDBRecord[]): Promise<Images[][]> {
  const said = records.map(({ dynamodb }): Said => ({ old: read(dynamodb?.OldImage), next: read(dynamodb?.NewImage) }))
  const done = await switchedAmong(said.flatMap(askedOf))
  const late = said.map((it) => lateIn(it, done))
  const found = await getMany(
    late.flatMap((them) => them ?? []).map(({ at }) => at),
    true,
  )
  return said.map((it, i) => {
    const them = late[i]?.map(({ at, before }) => ({ before, after: itemAt(found, at) }))
    return (them ?? [asTold(it.old, it.next)]).filter(({ before, after }) => before || after)
  })
}

/** The large transaction of which it must be known whether it is done, to say what a record tells. */
const askedOf = ({ old, next }: Said): string[] =>
  next || !old ? [] : isPart(old) ? [String(old.id)] : old.staged_as === 'new' ? [String(old.staged_by)] : []

type Late = { at: Key; before: Stored | undefined }

/**
 * The items that a record tells of and that are to be read, with what they were; undefined where it tells what it says. `done`
 * are large transactions that have switched. What has gone while it was only prepared may have come again since.
 */
function lateIn({ old, next }: Said, done: ReadonlySet<string>): readonly Late[] | undefined {
  if (next || !old) return undefined
  if (isPart(old)) return done.has(String(old.id)) ? newIn(old).map((at) => ({ at, before: undefined })) : []
  if (old.staged_as !== 'before' && old.staged_as !== 'new') return undefined
  const before = withoutStaging(old)
  return old.staged_as === 'before' || done.has(String(old.staged_by)) ? [{ at: keyOf(before), before }] : []
}

const read = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): Stored | undefined =>
  image && unmarshall(image as Parameters<typeof unmarshall>[0])

const nothing: Images = { before: undefined, after: undefined }

/** A change as it is to be told: nothing of what is only prepared, or called off. */
export function asTold(old: Stored | undefined, next: Stored | undefined): Images {
  if (next?.staged_by !== undefined) return nothing
  const isCalledOff = old?.staged_as === 'changed' && next && Number(next.version) < Number(old.version)
  return isCalledOff ? nothing : { before: old && withoutStaging(old), after: next }
}
