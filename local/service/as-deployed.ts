import { randomUUID } from 'node:crypto'

type Handler = (event: Given, context: { awsRequestId?: string }) => Promise<unknown>
type Given = { requestContext?: { requestId?: string } }

/** The handler with what serverless-offline leaves out of an event: it gives all requests one and the same id. */
export function asDeployed(handler: Handler): Handler {
  return (event, context) => {
    if (event.requestContext) event.requestContext.requestId = context.awsRequestId ?? randomUUID()
    return handler(event, context)
  }
}
