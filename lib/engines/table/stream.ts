import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { type Key, keyOf } from './keys.ts'
import { getMany, itemAt, type Stored } from './read.ts'
import { createdKeysIn, isPart } from './two-phase/part.ts'
import { switchedAmong, withoutStaging } from './two-phase/staged.ts'

export type StreamRecord = DynamoDBRecord
/** An item before and after a change. `before` is undefined for a new item, `after` for a deleted one. */
export type Images = { before: Stored | undefined; after: Stored | undefined }

/**
 * The changes behind each stream record, in order. The stream reports a two-phase commit by deletions: a changed item when its
 * before-image is deleted, and created items when their part is. These items are read as they are now, 100 in a call.
 */
export const changesOf = (records: readonly DynamoDBRecord[]): Promise<Images[][]> =>
  changesBehind(records.map(rawImagesOf))

/** The changes behind raw images, as `changesOf` finds them. A change that it has found before stays as it is. */
export async function changesBehind(images: readonly Images[]): Promise<Images[][]> {
  const done = await switchedAmong(images.flatMap(commitsIn))
  const late = images.map((it) => lateChanges(it, done))
  const keys = late.flatMap((changes) => changes?.map(({ at }) => at) ?? [])
  const items = await getMany(keys, true)
  return images.map(({ before: old, after: next }, i) => {
    const changes = late[i]?.map(({ at, before }) => ({ before, after: itemAt(items, at) }))
    return (changes ?? [visibleChange(old, next)]).filter(({ before, after }) => before || after)
  })
}

/** The two-phase commit that decides what a deletion means. */
const commitsIn = ({ before: old, after: next }: Images): string[] => {
  if (next || !old) return []
  if (isPart(old)) return [String(old.id)]
  return old.staged_as === 'new' ? [String(old.staged_by)] : []
}

/** The images of a stream record as they are in it, without a look into the table. */
export const rawImagesOf = ({ dynamodb }: DynamoDBRecord): Images => ({
  before: unmarshallImage(dynamodb?.OldImage),
  after: unmarshallImage(dynamodb?.NewImage),
})

type LateChange = { at: Key; before: Stored | undefined }

/**
 * The items that a deletion reports late, to be read as they are now. `done` holds the two-phase commits that have switched. Undefined for
 * any other stream record, which reports its own images.
 */
function lateChanges(
  { before: old, after: next }: Images,
  done: ReadonlySet<string>,
): readonly LateChange[] | undefined {
  if (next || !old) return undefined
  if (isPart(old)) return done.has(String(old.id)) ? createdKeysIn(old).map((at) => ({ at, before: undefined })) : []
  if (old.staged_as !== 'before' && old.staged_as !== 'new') return undefined
  const before = withoutStaging(old)
  // A new item of a commit that was undone is no change. Its key is not read, since another item may have it by now.
  return old.staged_as === 'before' || done.has(String(old.staged_by)) ? [{ at: keyOf(before), before }] : []
}

const unmarshallImage = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): Stored | undefined =>
  image && unmarshall(image as Parameters<typeof unmarshall>[0])

const nothing: Images = { before: undefined, after: undefined }

/** A change as effects see it: nothing of an item that was only staged, or whose commit was called off. */
export function visibleChange(old: Stored | undefined, next: Stored | undefined): Images {
  if (next?.staged_by !== undefined) return nothing
  const isCalledOff = old?.staged_as === 'changed' && next && Number(next.version) < Number(old.version)
  return isCalledOff ? nothing : { before: old && withoutStaging(old), after: next }
}
