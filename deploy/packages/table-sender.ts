/**
 * Replaces the SDK's sender of requests where the client of DynamoDB imports it: lib/engines/table brings its own, which reads the whole
 * body. Without the SDK's code for it a start reads less.
 */
export const NodeHttpHandler = { create: <T>(sender: T): T => sender }
export const streamCollector = (): never => {
  throw new Error('a body that comes as a stream')
}
