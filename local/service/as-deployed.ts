import { randomUUID } from 'node:crypto'
import { localSigner } from '../../lib/ops/local-credentials.ts'

type Handler = (event: Given, context: { awsRequestId?: string }) => Promise<unknown>
type Given = { requestContext?: { requestId?: string } }

/**
 * The handler with what serverless-offline leaves out: it gives all requests one and the same id, and all functions one
 * process. Each bundle has its own copy of our code, so the name that its clients sign with is this function's alone.
 */
export function asDeployed(name: string, handler: Handler): Handler {
  localSigner.name = name
  return (event, context) => {
    if (event.requestContext) event.requestContext.requestId = context.awsRequestId ?? randomUUID()
    return handler(event, context)
  }
}
