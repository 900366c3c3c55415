import { createHeritageClient, type Shape } from './index.js'

/** A first session: a contribution, a verdict on it, and a reader who finds it. */
export async function session(baseUrl: string): Promise<{ record: Shape<'Structure'>; standing: string[] }> {
  const contributor = createHeritageClient({ baseUrl, token: () => signIn(baseUrl, 'dev@heritage.test') })
  const made = await contributor.POST('/api/v1/cidoc/structures/', {
    body: {
      name: 'Chyasilin Mandap',
      existence_status: 'Extant',
      coordinates: '27.6722, 85.4279',
      assertion: { source_type: 'book', source_citation: 'Field notes 1991', confidence: 'likely' },
    },
  })
  if (!made.data) throw new Error(JSON.stringify(made.error))

  const curator = createHeritageClient({ baseUrl, token: await signIn(baseUrl, 'curator@heritage.test') })
  const verdict = await curator.POST('/api/v1/data/review-workspace/{entity_id}/decide/', {
    params: { path: { entity_id: made.data.cultural_entity_id } },
    body: { verdict: 'accept' },
  })
  if (!verdict.data) throw new Error(JSON.stringify(verdict.error))

  const reader = createHeritageClient({ baseUrl })
  const id = made.data.id
  const { data: record } = await reader.GET('/api/v1/cidoc/structures/{id}/', { params: { path: { id } } })
  const { data: why } = await reader.GET('/api/v1/data/entities/{entity_id}/explain/', {
    params: { path: { entity_id: made.data.cultural_entity_id }, query: { property: 'name' } },
  })
  if (!record || !why) throw new Error('It is not public.')
  return {
    record,
    standing: why.properties.map((it) => `${it.property}: ${it.value} (${it.standing?.source_citation})`),
  }
}

async function signIn(baseUrl: string, email: string): Promise<string> {
  const { data, error } = await createHeritageClient({ baseUrl }).POST('/api/dev/login/', { body: { email } })
  if (!data) throw new Error(JSON.stringify(error))
  return data.access
}
