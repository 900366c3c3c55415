import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Problem } from '../../base/errors.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import type { Reply } from './reply.ts'
import { type HttpEvent, type HttpResult, httpShell, type RequestContext } from './shell.ts'

/** Answers an event by an error without any route, with the body and the headers of every other answer. */
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
