import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Problem } from '../../base/errors.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import type { Reply } from './reply.ts'
import { type HttpEvent, type HttpResult, httpShell, type RequestContext } from './shell.ts'

/** Answers an event with an error, without looking for a route. Body and headers are made as for every other error. */
export async function answerFailure(event: HttpEvent, context: Context, problem: Problem): Promise<HttpResult> {
  const fail = middy<HttpEvent, HttpResult | Reply, Error, RequestContext>()
    .use(httpShell())
    .handler(async () => {
      throw problem
    })
  return measureCost(
    async () => (await fail(event, context as RequestContext)) as HttpResult,
    event.requestContext?.requestId,
  )
}
