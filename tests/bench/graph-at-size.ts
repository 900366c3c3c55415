import type { App } from '../harness/app.ts'
import { projected } from './projected.ts'

type Call = ReturnType<App['anon']['get']>
type Callers = {
  dev: App['anon']
  reviewer: App['anon']
  anon: App['anon']
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of several routes
  note: (route: string, answer: Call) => Promise<any>
  /** A row of what no request has spent. */
  add: (row: { route: string; calls: number; units: number }) => void
}

/** The rows that may not grow with the number of records. */
export const flatRoutes: readonly string[] = ['GET /cidoc/kg/graph/', 'GET /cidoc/kg/neighborhood/']

/** The graphs as the projector would have made them of so many structures: they hold the last 2,000. */
export async function fillGraphs(size: number): Promise<void> {
  const { followGraph } = await import('../../lib/domain/graph/keep.ts')
  const { MOST_NODES } = await import('../../lib/domain/graph/model.ts')
  const { recordId } = await import('../../lib/base/ids/address.ts')
  const { kinds } = await import('../../lib/domain/kinds/index.ts')
  const many = Math.min(size, MOST_NODES)
  await followGraph(Array.from({ length: many }, (_, i) => recordId(kinds.structure.code, size - i)))
}

/** What the graph costs: to be read, to be read around a record with twenty links, and to be brought up to date. */
export async function measureGraph({ dev, reviewer, anon, note, add }: Callers): Promise<void> {
  const stamp = Date.now().toString(36)
  const accept = async ({ cultural_entity_id }: { cultural_entity_id: string }) => {
    const at = `/data/review-workspace/${cultural_entity_id}/decide/`
    const { status, text } = await reviewer.post(at, { body: { verdict: 'accept' } })
    if (status !== 201) throw new Error(`a record of the graph was not accepted: ${text}`)
  }
  const make = async (segment: string, body: object) => {
    const { body: made } = await dev.post(`/cidoc/${segment}/`, { body })
    await accept(made)
    await projected(made.cultural_entity_id)
    return made
  }
  const place = await make('locations', { name: `Square ${stamp}`, coordinates: '29.67, 81.42' })
  const has_current_location = { id: place.id, name: `Square ${stamp}` }
  for (let n = 0; n < LINKS; n += 1)
    await make('structures', {
      name: `Temple ${n} of ${stamp}`,
      has_current_location,
      coordinates: `29.${700 + n}, 81.4`,
    })

  const graph = await note('GET /cidoc/kg/graph/', anon.get('/cidoc/kg/graph/'))
  if (graph.counts.edges < LINKS) throw new Error(`the graph has ${graph.counts.edges} links`)
  const uri = `/resource/location/${place.id}`
  const around = await note('GET /cidoc/kg/neighborhood/', anon.get('/cidoc/kg/neighborhood/', { query: { uri } }))
  if (around.count < LINKS) throw new Error(`the neighbourhood has ${around.count} links`)
  await note('GET /cidoc/kg/stats/', anon.get('/cidoc/kg/stats/'))
  const { body: fresh } = await dev.post('/cidoc/structures/', {
    body: { name: `Fresh ${stamp}`, has_current_location },
  })
  await accept(fresh)
  add({ route: 'graphs after an acceptance', ...(await measureUpdate(fresh.cultural_entity_id)) })
}

const LINKS = 20

/** What it takes to bring the graphs of both scopes up to date with one record. A full graph that does not take it in is not written anew. */
async function measureUpdate(entity_id: string): Promise<{ calls: number; units: number }> {
  const { measureCost } = await import('../../lib/base/telemetry/request-cost.ts')
  const { followGraph } = await import('../../lib/domain/graph/keep.ts')
  return measureCost(async (meter) => {
    await followGraph([entity_id])
    return { calls: meter.calls, units: meter.units }
  })
}
