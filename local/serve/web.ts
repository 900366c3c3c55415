import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { type Handler, serveRequest } from './gateway.ts'

/** The first message of the parent: where to listen, and the bundle of each function. */
const Begin = v.object({ host: v.string(), port: v.number(), files: v.record(v.string(), v.string()) })
const Module = v.object({ handler: v.function() })
const handlers = new Map<string, Promise<Handler>>()

// This process ends with its parent, however that ends.
process.on('disconnect', () => process.exit(0))
process.on('unhandledRejection', (error) => console.error(error instanceof Error ? error.stack : error))
process.once('message', (message) => begin(v.parse(Begin, message)))

/** Answers requests. A function is loaded with its first request. On SIGTERM, requests under way are answered first. */
function begin({ host, port, files }: v.InferOutput<typeof Begin>): void {
  const handlerOf = (group: string): Promise<Handler> => {
    const loading = handlers.get(group) ?? load(files[group] ?? '')
    handlers.set(group, loading)
    loading.catch(() => handlers.delete(group))
    return loading
  }
  const server = createServer((request, response) => {
    serveRequest(request, response, handlerOf).catch(() => response.destroy())
  })
  server.listen(port, host, () => process.send?.({ listening: true }))
  process.on('SIGTERM', () => {
    server.close(() => process.exit(0))
    server.closeIdleConnections()
  })
}

const load = async (file: string): Promise<Handler> =>
  v.parse(Module, await import(pathToFileURL(join(process.cwd(), file)).href)).handler as unknown as Handler
