import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import type { Stored } from './read.ts'
import { asSeenByStream } from './two-phase/staged.ts'

/** An item before and after a change, as the stream tells it; undefined where there was or is none. */
export type Images = { before: Stored | undefined; after: Stored | undefined }

/** The two images of a stream record, without what a large transaction has only prepared. */
export const imagesOf = ({ dynamodb }: DynamoDBRecord): Images => ({
  before: asSeenByStream(dynamodb?.OldImage && unmarshall(dynamodb.OldImage as Parameters<typeof unmarshall>[0])),
  after: asSeenByStream(dynamodb?.NewImage && unmarshall(dynamodb.NewImage as Parameters<typeof unmarshall>[0])),
})
