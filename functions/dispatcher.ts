import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { unavailable } from '../lib/base/errors.ts'
import { invokeFunction, siblingFunction } from '../lib/base/telemetry/invoke.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { answerFailure } from '../lib/platform/http/answer-failure.ts'
import { groupOf } from '../lib/platform/http/groups.ts'
import { canonicalPath } from '../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../lib/platform/http/shell.ts'

/** As a function of ours answers. */
const Answer = v.looseObject({ statusCode: v.number() })

/**
 * Takes what fits no route of the gateway and hands it, as it came, to the group whose path it is: the gateway does not say
 * whether a last slash fits. The group's answer goes back as it is.
 */
export async function handler(event: HttpEvent, context: Context): Promise<HttpResult> {
  const group = groupOf(canonicalPath(event.rawPath))
  try {
    const answer = await invokeFunction(siblingFunction(context.functionName, 'dispatcher', group), event)
    return v.parse(Answer, answer)
  } catch (error) {
    log({
      level: 'error',
      message: 'dispatch',
      request_id: event.requestContext.requestId,
      error: error instanceof Error ? error.name : 'unknown',
    })
    return answerFailure(event, context, unavailable())
  }
}
