import { openApp } from '../../harness/app.ts'
import { startSearchServer, switchBefore, whyNoServer } from '../../harness/opensearch.ts'
import { say } from '../tools/table.ts'

/**
 * `npm run bench -- engines`; `SIZES=` says how many documents the larger index has: the embedded engine and a server of OpenSearch on the same questions. No times: one machine runs both, and in
 * production each has its own.
 */
export async function benchEngines(size: number): Promise<void> {
  if (whyNoServer) return say(`Skipped: ${whyNoServer}.`)
  const server = await startSearchServer()
  const before = await switchBefore(server.url)
  await openApp({ env: { SEARCH_URL: `${before.url}/bench-${process.pid}`, LOG_LEVEL: 'silent' } })
  // The configuration is read with the first import of the service.
  await (await import('./engines-compared.ts')).compareEngines(size, before.calls)
  before.stop()
  await server.stop()
}
