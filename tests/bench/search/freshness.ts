import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPump } from '../../../deploy/stand-ins/stream-pump.ts'
import { openApp } from '../../harness/app.ts'
import { print } from '../tools/table.ts'

/** How long after its answer a change is found by search, with the pause that the local service has: pump 200 ms. */
export async function benchFreshness(): Promise<void> {
  const app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  const { handler } = await import('../../../functions/projector.ts')
  const { processModel } = await import('../../../lib/engines/search/model/follower.ts')
  const directory = await mkdtemp(join(tmpdir(), 'heritage-freshness-'))
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
  const pump = startPump({ endpoint, table, directory }, handler)
  const all = { signedIn: true, everything: true, own: null }
  const until = async (id: string, there: boolean) => {
    const began = performance.now()
    while (((await (await processModel()).document(id, all)) !== undefined) !== there) await sleep(20)
    return performance.now() - began
  }
  const [created, deleted]: [number[], number[]] = [[], []]
  for (let i = 0; i < 100; i += 1) {
    const { body } = await app.contributor.post('/cidoc/structures/', { body: { name: `Fresh ${i}` } })
    created.push(await until(body.cultural_entity_id, true))
    await app.contributor.delete(`/cidoc/structures/${body.id}/`)
    deleted.push(await until(body.cultural_entity_id, false))
  }
  await pump.stop()
  await rm(directory, { recursive: true })
  const at = (times: number[], share: number) =>
    `${(times.sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(0)}`
  print('Freshness: milliseconds until search shows a change', [
    { change: 'created to found', p50: at(created, 0.5), p99: at(created, 0.99) },
    { change: 'deleted to gone', p50: at(deleted, 0.5), p99: at(deleted, 0.99) },
  ])
}
