import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Problem } from '../../base/errors.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import type { Reply } from './reply.ts'
import { type Event, type RequestContext, type Result, shell } from './shell.ts'

/** The answer to an event that no route is asked for: an error, in the form and with the headers that all answers have. */
export async function answerFailure(event: Event, context: Context, problem: Problem): Promise<Result> {
  const fail = middy<Event, Result | Reply, Error, RequestContext>()
    .use(shell())
    .handler(async () => {
      throw problem
    })
  return measureCost(
    async () => (await fail(event, context as RequestContext)) as Result,
    event.requestContext?.requestId,
  )
}
