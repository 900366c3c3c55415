import type { RefusalReply } from '../access/judge.ts'

const refuse = (type: string, message: string): RefusalReply => ({
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: type, message }),
})

/** What a table says that has no room at the moment. */
export const throttleReply = refuse('com.amazonaws.dynamodb.v20120810#ThrottlingException', 'Rate exceeded')
/** What it says to a write that no repetition mends. */
export const invalidReply = refuse('com.amazon.coral.validate#ValidationException', 'One item is too large.')
