import { createHeritageClient, type Shape } from './index.js'

/** What a first session comes to: the record, the lists that name it, and why it says what it says. */
export type Session = { record: Shape<'Structure'>; waiting: string[]; listed: string[]; standing: string[] }

/** A first session: a contribution, a verdict on it, and a reader who finds it. */
export async function session(baseUrl: string): Promise<Session> {
  const contributor = createHeritageClient({ baseUrl, token: () => signIn(baseUrl, 'dev') })
  const made = await contributor.POST('/api/v1/cidoc/structures/', {
    body: {
      name: 'Chyasilin Mandap',
      existence_status: 'Extant',
      construction_date: '1702~',
      coordinates: '27.6722, 85.4279',
      assertion: { source_type: 'book', source_citation: 'Field notes 1991', confidence: 'likely' },
    },
  })
  if (!made.data) throw new Error(JSON.stringify(made.error))

  const curator = createHeritageClient({ baseUrl, token: await signIn(baseUrl, 'curator') })
  const queue = await curator.GET('/api/v1/data/review-queue/', { params: { query: { limit: 100 } } })
  const verdict = await curator.POST('/api/v1/data/review-workspace/{entity_id}/decide/', {
    params: { path: { entity_id: made.data.cultural_entity_id } },
    body: { verdict: 'accept' },
  })
  if (!verdict.data) throw new Error(JSON.stringify(verdict.error))

  const reader = createHeritageClient({ baseUrl })
  const id = made.data.id
  const { data: record } = await reader.GET('/api/v1/cidoc/structures/{id}/', { params: { path: { id } } })
  const { data: list } = await reader.GET('/api/v1/cidoc/structures/', { params: { query: { limit: 5 } } })
  const { data: why } = await reader.GET('/api/v1/data/entities/{entity_id}/explain/', {
    params: { path: { entity_id: made.data.cultural_entity_id }, query: { property: 'name' } },
  })
  if (!queue.data || !record || !list || !why) throw new Error('It is not public.')
  return {
    record,
    waiting: queue.data.results.map((it) => it.name),
    listed: list.results.map((it) => it.name),
    standing: why.properties.map((it) => `${it.property}: ${it.value} (${it.standing?.source_citation})`),
  }
}

async function signIn(baseUrl: string, username: string): Promise<string> {
  const body = { username, password: 'heritage-local' }
  const { data, error } = await createHeritageClient({ baseUrl }).POST('/api/token/', { body })
  if (!data) throw new Error(JSON.stringify(error))
  return data.access
}
