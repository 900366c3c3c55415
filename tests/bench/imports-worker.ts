import { measureCost } from '../../lib/base/telemetry/request-cost.ts'

/**
 * The worker of imports in a process of its own, as it runs in a function: it works until nothing is left to do, and says in
 * JSON what that took. The environment says on which table and bucket.
 */
const { handler } = await import('../../functions/importer.ts')
const [began, before, atRest] = [performance.now(), process.cpuUsage(), process.memoryUsage.rss()]
const spent = await measureCost(async (meter) => {
  while ((await handler()).running > 0);
  return meter
})
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - began) / 1000
const { calls, units } = spent
const rss = { most: process.resourceUsage().maxRSS * 1024, atRest }
process.stdout.write(JSON.stringify({ seconds, processor: (user + system) / 1e6, calls, units, rss }))
