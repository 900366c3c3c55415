import { createHeritageClient, type Shape } from './index.js'

/** What must not compile. A line that does is an error itself: then its directive has nothing to expect. */
const client = createHeritageClient({ baseUrl: 'https://heritage.example.org' })
const structures = '/api/v1/cidoc/structures/'
const decide = '/api/v1/data/review-workspace/{entity_id}/decide/'
const params = { path: { entity_id: '7' } }

export const wrong = [
  // @ts-expect-error there is no such path
  () => client.GET('/api/v1/data/nothing/'),
  // @ts-expect-error nor such a method of it
  () => client.DELETE(structures),
  // @ts-expect-error a name is required
  () => client.POST(structures, { body: { note: 'Nameless' } }),
  // @ts-expect-error a verdict is one of five
  () => client.POST(decide, { params, body: { verdict: 'maybe' } }),
  // @ts-expect-error the id is missing
  () => client.GET('/api/v1/cidoc/structures/{id}/'),
  // @ts-expect-error the id of a record is a number
  () => client.GET('/api/v1/cidoc/structures/{id}/', { params: { path: { id: 'seven' } } }),
  // @ts-expect-error there is no such parameter
  () => client.GET('/api/v1/data/activities/', { params: { query: { user: 'dev' } } }),
  // @ts-expect-error an answer has no such member
  async () => (await client.GET('/api/user/info/')).data?.nickname,
  // @ts-expect-error it may be missing
  async (): Promise<string> => (await client.GET('/api/user/info/')).data.username,
  // @ts-expect-error a count is a number
  (it: Shape<'QueueCounts'>): string => it.all,
]
