import { createHeritageClient, type HeritageError, type Shape, type Upload } from './index.js'

/** None of these lines may compile. One that does leaves its directive without an error, which is an error. */
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
  // @ts-expect-error an enumeration is one of its values
  () => client.POST(structures, { body: { name: 'Pati', existence_status: 'Standing' } }),
  // @ts-expect-error inside of a block as well
  () => client.POST(structures, { body: { name: 'Pati', assertion: { confidence: 'sure' } } }),
  // @ts-expect-error a date is text or a year
  () => client.POST(structures, { body: { name: 'Pati', construction_date: new Date() } }),
  // @ts-expect-error a number is a number, or text that is one
  () => client.POST(structures, { body: { name: 'Pati', latitude: 'north', longitude: '85.4' } }),
  // @ts-expect-error coordinates are two of them
  () => client.POST(structures, { body: { name: 'Pati', coordinates: 'Bhaktapur' } }),
  // @ts-expect-error a day is written in numbers
  () => client.POST('/api/register/', { body: { email: 'a@b.c', password: 'x', birth_date: 'in May' } }),
  // @ts-expect-error there is no such member
  () => client.POST(structures, { body: { name: 'Pati', existance_status: 'Extant' } }),
  // @ts-expect-error the id is missing
  () => client.GET('/api/v1/cidoc/structures/{id}/'),
  // @ts-expect-error the id of a record is a number
  () => client.GET('/api/v1/cidoc/structures/{id}/', { params: { path: { id: 'seven' } } }),
  // @ts-expect-error there is no such parameter
  () => client.GET('/api/v1/data/activities/', { params: { query: { user: 'dev' } } }),
  // @ts-expect-error a form needs its file
  () => client.POST('/api/v1/data/pictures/', { body: {} }),
  // @ts-expect-error a file is no text
  () => client.POST('/api/v1/data/pictures/', { body: { file: 'gate.png' } }),
  // @ts-expect-error there is no such upload
  (): Upload<'/api/v1/data/nothing/'> => new FormData(),
  // @ts-expect-error a detail is text
  (): HeritageError => ({ detail: 7 }),
  // @ts-expect-error an answer has no such member
  async () => (await client.GET('/api/user/info/')).data?.nickname,
  // @ts-expect-error it may be missing
  async (): Promise<string> => (await client.GET('/api/user/info/')).data.username,
  // @ts-expect-error a count is a number
  (it: Shape<'QueueCounts'>): string => it.all,
]
