import { listen, readBody } from '../../deploy/stand-ins/listening.ts'

type Invoke = (name: string, event: object) => Promise<unknown>

/** Attempts for a call that nobody waits for, and the pauses between them in milliseconds. */
const PAUSES_MS = [60_000, 120_000]

/**
 * Serves the calls by which functions call each other, as Lambda does. Whoever waits gets the result. A call that nobody waits for is
 * tried three times.
 */
export async function serveCalls(names: readonly string[], invoke: Invoke) {
  const timers = new Set<NodeJS.Timeout>()
  const attempt = (name: string, event: object, [pause, ...later]: readonly number[]): void => {
    invoke(name, event).catch((error: unknown) => {
      console.error(`${name}: ${error instanceof Error ? error.message : error}`)
      if (pause === undefined) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        attempt(name, event, later)
      }, pause)
      timers.add(timer)
    })
  }
  const { port, stop } = await listen(async (request, response) => {
    const asked = decodeURIComponent(/\/functions\/([^/]+)\/invocations$/.exec(request.url ?? '')?.[1] ?? '')
    const event: object = JSON.parse((await readBody(request)).toString() || '{}')
    // The longest name that fits: `heritage-prod-asset-files` is not `files`.
    const name = names.filter((it) => asked.endsWith(`-${it}`)).sort((a, b) => b.length - a.length)[0]
    if (!name) return void response.writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' }).end('{}')
    if (request.headers['x-amz-invocation-type'] === 'Event') {
      response.writeHead(202).end()
      return attempt(name, event, PAUSES_MS)
    }
    try {
      const result = await invoke(name, event)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result ?? null))
    } catch (error) {
      const told = { errorType: 'Error', errorMessage: error instanceof Error ? error.message : String(error) }
      response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(told))
    }
  })
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      for (const timer of timers) clearTimeout(timer)
      await stop()
    },
  }
}
