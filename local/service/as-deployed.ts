import { randomUUID } from 'node:crypto'
import { localSigner } from '../../lib/base/telemetry/local-credentials.ts'

type Handler = (event: Given, context: { awsRequestId?: string }) => Promise<unknown>
type Given = { requestContext?: { requestId?: string } }

/**
 * Adds what serverless-offline leaves out: an id of its own for each request, and the name of the function that signs
 * calls. Each bundle has its own copy of `localSigner`, so the name belongs to this function alone.
 */
export function asDeployed(name: string, handler: Handler): Handler {
  localSigner.name = name
  return (event, context) => {
    if (event.requestContext) event.requestContext.requestId = context.awsRequestId ?? randomUUID()
    return handler(event, context)
  }
}
