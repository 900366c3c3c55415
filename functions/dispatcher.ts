import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { unavailable } from '../lib/base/errors.ts'
import { runInvocation } from '../lib/base/telemetry/invocation.ts'
import { calledAlias, invokeFunction, siblingFunction } from '../lib/base/telemetry/invoke.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { answerFailure } from '../lib/platform/http/answer-failure.ts'
import { groupOf } from '../lib/platform/http/groups.ts'
import { canonicalPath } from '../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../lib/platform/http/shell.ts'

/** The result of a group's function. */
const Answer = v.looseObject({ statusCode: v.number() })

/**
 * Receives requests that match no route of the gateway: its routes do not cover every spelling of the last slash. Calls the function of
 * the path's group with the same event, and returns its answer unchanged.
 */
export const handler = (event: HttpEvent, context: Context): Promise<HttpResult> =>
  runInvocation(context, () => dispatch(event, context))

async function dispatch(event: HttpEvent, context: Context): Promise<HttpResult> {
  const group = groupOf(canonicalPath(event.rawPath))
  try {
    const sibling = siblingFunction(context.functionName, 'dispatcher', group)
    const answer = await invokeFunction(`${sibling}${calledAlias(context.invokedFunctionArn)}`, event)
    return v.parse(Answer, answer)
  } catch (error) {
    log({
      level: 'error',
      message: 'dispatch',
      request_id: event.requestContext.requestId,
      error: error instanceof Error ? error.name : 'unknown',
    })
    return answerFailure(event, context, unavailable(undefined, 'function'))
  }
}
