import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { commandsOf, contribute, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Node = { id: string; label: string; lat: string | null; comment: string | null; clusterLabel?: string }
type Edge = { source: string; target: string; predicateLocal: string; provenance: object | null }
type Graph = { scope: string; nodes: Node[]; edges: Edge[]; counts: object }
const PATH = '/api/v1/cidoc/kg/graph/'
const graphFor = async (who: Persona = app.anon, query: Record<string, string | number> = {}): Promise<Graph> =>
  sure(200, await who.get(PATH, { query }))
const iri = (kind: string, id: number) => `https://w3id.org/heritagegraph/resource/${kind}/${id}`
const labels = ({ nodes }: Graph) => nodes.map(({ label }) => label)

async function templeIn(name: string, place: string, more: object = {}) {
  const location = await publish(app, 'locations', { name: place, coordinates: '27.67, 85.43' })
  const body = {
    name,
    description: `${name} has five tiers.`,
    construction_date: '1702',
    has_current_location: { id: location.id, name: place },
    assertion: { source_type: 'inscription', source_citation: 'Stone', confidence: 'certain' },
    ...more,
  }
  return { temple: await publish(app, 'structures', body), location }
}

test('a record that is hidden while the graph follows it is not shown again', async () => {
  const { temple } = await templeIn('Graph hidden meanwhile', 'Graph meanwhile')
  const { followGraph } = await import('../../../lib/domain/graph/keep.ts')
  const { db } = await import('../../../lib/engines/table/client.ts')
  let hides: Promise<unknown> | undefined
  const meddle = (next: (args: { input: object }) => Promise<unknown>) => async (args: { input: object }) => {
    // The record has been read by now, as everyone sees it. The entries of hidden records are read next.
    if (!hides && JSON.stringify(args.input).includes('GRAPH#reviewed')) {
      hides = app.staff.delete(`/cidoc/structures/${temple.id}/`)
      await hides
    }
    return next(args)
  }
  db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'meanwhile' })
  await followGraph([temple.cultural_entity_id]).finally(() => db.middlewareStack.remove('meanwhile'))
  expect(hides).toBeDefined()
  expect(labels(await graphFor())).not.toContain('Graph hidden meanwhile')
})

describe('the graph', () => {
  test('shows an accepted record with its links and who says so', async () => {
    const { temple, location } = await templeIn('Graph Nyatapola', 'Graph Taumadhi')
    expect(labels(await graphFor())).not.toContain('Graph Nyatapola')
    await following.settled()
    const graph = await graphFor()
    expect(graph.nodes.find(({ label }) => label === 'Graph Nyatapola')).toMatchObject({
      id: iri('structure', temple.id),
      types: ['http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object', expect.stringMatching(/^http/)],
      comment: 'Graph Nyatapola has five tiers.',
      lat: '27.67',
      long: '85.43',
      inceptionYear: 1702,
      sourceLayer: 'curated',
      typeScope: 'architecturalstructure',
    })
    expect(graph.edges).toContainEqual({
      source: iri('structure', temple.id),
      target: iri('location', location.id),
      predicate: expect.stringMatching(/^http/),
      predicateLocal: 'has_current_location',
      predicateLabel: expect.any(String),
      provenance: {
        source: 'Stone',
        confidence: 'certain',
        confidenceScore: 0.95,
        assertedBy: 'dev',
        temporalScope: '',
        assertedAt: expect.any(String),
      },
    })
    expect(graph.counts).toEqual({
      nodes: graph.nodes.length,
      edges: graph.edges.length,
      edgesWithProvenance: graph.edges.filter(({ provenance }) => provenance).length,
      luxNodes: 0,
    })
  })

  test('shows accepted relationships and clusters, and forgets them', async () => {
    const [one, other] = [
      await publish(app, 'structures', { name: 'Graph A' }),
      await publish(app, 'structures', { name: 'Graph B' }),
    ]
    const body = {
      entity_type: 'structure',
      entity_id: one.id,
      asserted_property: 'relationship.near',
      object_entity_type: 'structure',
      object_entity_id: other.id,
    }
    const claim = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
    const members = [{ entity_type: 'structure', entity_id: one.id }]
    sure(
      201,
      await app.curator.post('/cidoc/entity-clusters/', {
        body: { canonical_label: 'As', type_scope: 'structure', members },
      }),
    )
    const settle = async (reconciliation_status: string) => {
      sure(200, await app.community.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status } }))
      await following.settled()
      const { edges } = await graphFor()
      return edges.filter(
        ({ source, predicateLocal }) => source === iri('structure', one.id) && predicateLocal === 'near',
      )
    }
    expect(await settle('accepted')).toHaveLength(1)
    expect((await graphFor()).nodes.find(({ label }) => label === 'Graph A')?.clusterLabel).toBe('As')
    expect(await settle('superseded')).toEqual([])
  })

  test('holds nothing that the reader may not see, from the answer on', async () => {
    const { temple } = await templeIn('Graph hidden', 'Graph place of hidden')
    const waiting = await contribute(app.contributor, 'structures', { name: 'Graph waiting' })
    await publish(app, 'structures', { name: 'Graph secret', access_tier: 'restricted' })
    await following.settled()
    expect(labels(await graphFor())).toContain('Graph hidden')
    for (const who of [app.anon, app.contributor]) {
      const graph = await graphFor(who, { scope: 'all' })
      expect(graph.scope).toBe('reviewed')
      expect(labels(graph)).not.toEqual(expect.arrayContaining(['Graph waiting']))
      expect(labels(graph)).not.toContain('Graph secret')
    }
    const all = await graphFor(app.community, { scope: 'all' })
    expect(all.scope).toBe('all')
    expect(labels(all)).toEqual(expect.arrayContaining(['Graph waiting', 'Graph secret', 'Graph hidden']))

    sure(204, await app.staff.delete(`/cidoc/structures/${temple.id}/`))
    sure(204, await app.contributor.delete(`/cidoc/structures/${waiting.id}/`))
    const check = async () => {
      expect(labels(await graphFor())).not.toContain('Graph hidden')
      expect(labels(await graphFor(app.community, { scope: 'all' }))).not.toEqual(
        expect.arrayContaining(['Graph hidden']),
      )
      expect(labels(await graphFor(app.community, { scope: 'all' }))).not.toContain('Graph waiting')
    }
    await check()
    await following.settled()
    await check()
    sure(200, await app.staff.post(`/cidoc/structures/${temple.id}/restore/`))
    await following.settled()
    expect(labels(await graphFor())).toContain('Graph hidden')
  })

  test('costs one query, and one read of the bucket at first', async () => {
    await following.settled()
    await graphFor()
    expect(await commandsOf(() => graphFor())).toEqual(['QueryCommand'])
  })

  test('lists the most linked first, as many as are asked for', async () => {
    const hub = await publish(app, 'locations', { name: 'Graph hub' })
    for (const n of [1, 2, 3, 4])
      await publish(app, 'structures', {
        name: `Graph spoke ${n}`,
        has_current_location: { id: hub.id, name: 'Graph hub' },
      })
    await following.settled()
    const graph = await graphFor(app.anon, { node_limit: 3, edge_limit: 1 })
    expect([graph.nodes.length, graph.edges.length, graph.nodes[0]?.label]).toEqual([3, 1, 'Graph hub'])
  })
})

describe('the neighbourhood', () => {
  test('has both directions, of what the reader may see', async () => {
    const { temple, location } = await templeIn('Near temple', 'Near place')
    await publish(app, 'structures', {
      name: 'Near secret',
      access_tier: 'restricted',
      has_current_location: { id: location.id, name: 'Near place' },
    })
    await following.settled()
    const of = async (uri: string, who: Persona = app.anon) =>
      sure(200, await who.get('/cidoc/kg/neighborhood/', { query: { uri, limit: 60 } }))
    expect((await of(iri('structure', temple.id))).edges).toContainEqual({
      direction: 'outbound',
      predicate: expect.stringMatching(/^http/),
      value: iri('location', location.id),
      valueLabel: 'Near place',
      valueType: 'iri',
    })
    const inbound = async (who: Persona) =>
      (await of(iri('location', location.id), who)).edges
        .filter((it: { direction: string }) => it.direction === 'inbound')
        .map((it: { valueLabel: string }) => it.valueLabel)
    expect(await inbound(app.anon)).toEqual(['Near temple'])
    expect(new Set(await inbound(app.other))).toEqual(new Set(['Near temple', 'Near secret']))
    expect(await of(iri('structure', 999_999))).toMatchObject({ edges: [], count: 0 })
    expect(await of('http://example.org/x')).toMatchObject({ edges: [], count: 0 })
    // A hidden neighbour takes no place of the limit: else its number would be told.
    await publish(app, 'structures', {
      name: 'Near last',
      has_current_location: { id: location.id, name: 'Near place' },
    })
    await following.settled()
    const { loadNeighbourhood } = await import('../../../lib/domain/graph/read.ts')
    const near = await loadNeighbourhood(location.cultural_entity_id, 2, null)
    expect(near?.neighbours.map(({ record }) => record.name)).toEqual(['Near temple', 'Near last'])
    const calls = await commandsOf(() => of(iri('structure', temple.id)))
    expect(calls).toEqual(['QueryCommand', 'BatchGetItemCommand'])
    expect((await app.anon.get('/cidoc/kg/neighborhood/')).status).toBe(400)
  })
})

test('the statistics count what is public', async () => {
  const before = sure(200, await app.anon.get('/api/v1/cidoc/kg/stats'))
  expect(before).toMatchObject({ store_healthy: true, rdf_sync_enabled: true })
  await publish(app, 'persons', { name: 'Counted person' })
  await contribute(app.contributor, 'persons', { name: 'Waiting person' })
  await following.settled()
  const after = sure(200, await app.anon.get('/cidoc/kg/stats/'))
  expect(after.public_graph_triples - before.public_graph_triples).toBe(3)
  expect(after.total_triples).toBe(after.public_graph_triples + after.schema_graph_triples)
  expect(after.type_histogram).toContainEqual({ type: expect.stringMatching(/Person/), count: '1' })
})

test('two projectors at once keep what both were told of', async () => {
  const names = ['Told to both', 'Told to both as well']
  for (const name of names) await publish(app, 'persons', { name })
  const Records = await following.take()
  const { handler: one } = await import('../../../functions/projector.ts')
  const { bucket } = await import('../../../lib/engines/bucket/blobs.ts')
  const { s3 } = await bucket()
  vi.resetModules()
  const { handler: other } = await import('../../../functions/projector.ts')
  // While the first one stores a graph, the other makes its own current. So the first deletes its file, reads that of the other, and begins again.
  let isOvertaken = false
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'PutObjectCommand' && !isOvertaken) {
          isOvertaken = true
          expect(await other({ Records })).toEqual({ batchItemFailures: [] })
        }
        return next(args)
      },
    { step: 'initialize', name: 'overtake' },
  )
  expect(await one({ Records })).toEqual({ batchItemFailures: [] })
  s3.middlewareStack.remove('overtake')
  expect(isOvertaken).toBe(true)
  const found = labels(await graphFor(app.anon, { node_limit: 2000 }))
  expect(names.filter((name) => !found.includes(name))).toEqual([])
})

test('a process that has just started reads the graph from the bucket', async () => {
  const before = await graphFor()
  expect(before.nodes).not.toEqual([])
  vi.resetModules()
  expect(await graphFor()).toEqual(before)
})
