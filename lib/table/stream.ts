import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { type Key, keyOf } from './keys.ts'
import { getMany, itemAt, type Stored } from './read.ts'
import { withoutStaging } from './two-phase/staged.ts'

/** A change as the stream hands it over. */
export type StreamRecord = DynamoDBRecord
/** An item before and after a change, as the stream tells it; undefined where there was or is none. */
export type Images = { before: Stored | undefined; after: Stored | undefined }

/** The two images of a stream record, without what a large transaction has only prepared. */
export function imagesOf({ dynamodb }: DynamoDBRecord): Images {
  return asTold(read(dynamodb?.OldImage), read(dynamodb?.NewImage))
}

/**
 * The changes that stream records tell of, in their order. What a large transaction has changed is told when its
 * before-image is cleared away: what the item is by then is read, in one call for all of them.
 */
export async function changesOf(records: readonly DynamoDBRecord[]): Promise<Images[]> {
  const told = records.map(imagesOf)
  const late = records.map(movedBy)
  const found = await getMany(
    late.flatMap((at) => at ?? []),
    true,
  )
  return told.map((images, i) => {
    const at = late[i]
    return at ? { ...images, after: itemAt(found, at) } : images
  })
}

/** Where the item lies whose before-image a record takes away; undefined for every other record. */
function movedBy({ dynamodb }: DynamoDBRecord): Key | undefined {
  const old = dynamodb?.NewImage ? undefined : read(dynamodb?.OldImage)
  return old?.staged_as === 'before' ? keyOf(withoutStaging(old)) : undefined
}

const read = (image: NonNullable<DynamoDBRecord['dynamodb']>['NewImage']): Stored | undefined =>
  image && unmarshall(image as Parameters<typeof unmarshall>[0])

const nothing: Images = { before: undefined, after: undefined }

/** A change as it is to be told: nothing of what is only prepared, or called off. */
export function asTold(before: Stored | undefined, after: Stored | undefined): Images {
  if (after?.staged_by !== undefined) return nothing
  const isCalledOff = before?.staged_as === 'changed' && after && Number(after.version) < Number(before.version)
  if (isCalledOff) return nothing
  return { before: before?.staged_as === 'new' ? undefined : before && withoutStaging(before), after }
}
