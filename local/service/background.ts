import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'

/** A call from the parent. This process runs functions that have no endpoint, and sends back what each returns. */
const Call = v.object({
  call: v.number(),
  name: v.string(),
  event: v.unknown(),
  file: v.string(),
  environment: v.record(v.string(), v.string()),
  timeout: v.number(),
})
type Call = v.InferOutput<typeof Call>
const Module = v.object({ handler: v.function() })

// This process ends with its parent, however that ends.
process.on('disconnect', () => process.exit(0))
// Nobody waits for an asynchronous invocation, so its failure is only logged.
process.on('unhandledRejection', (error) => console.error(error instanceof Error ? error.stack : error))
process.on('message', (message) => void answer(v.parse(Call, message)))

async function answer({ call, ...rest }: Call): Promise<void> {
  try {
    reply({ call, answer: await run(rest) })
  } catch (error) {
    reply({ call, failed: error instanceof Error ? error.message : String(error) })
  }
}

/** Sends a message to the parent, unless it has gone: then nobody waits for it. */
function reply(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

async function run({ name, event, file, environment, timeout }: Omit<Call, 'call'>): Promise<unknown> {
  Object.assign(process.env, environment)
  const { handler } = v.parse(Module, await import(pathToFileURL(join(process.cwd(), file)).href))
  const until = performance.now() + timeout * 1000
  const functionName = `heritage-local-${name}`
  return handler(event, { functionName, getRemainingTimeInMillis: () => Math.max(0, until - performance.now()) })
}
