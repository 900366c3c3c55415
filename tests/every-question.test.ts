import { beforeAll, describe, expect, test } from 'vitest'
import { kinds, recordKinds } from '../lib/kinds/index.ts'
import type { App, Persona } from './app.ts'
import { followTable } from './following.ts'
import { contribute, everyState, publish, submit, sure } from './make.ts'
import { mp3, pdf } from './media-files.ts'
import document from './openapi.json' with { type: 'json' }
import { at, openProjects, projectIn } from './projects.ts'

/**
 * Every question that GET can ask: each parameter that the document declares with each of its values, and each two of them
 * together, by people of four ranks. None fails, and each answer is one that the document knows: tests/app.ts sees to that.
 * What the functions need of the table and the bucket for it is noted meanwhile; see local/access.ts.
 */

type Operation = {
  parameters: { name: string; in: string; schema: { enum?: string[]; anyOf?: object[] } }[]
  responses: Record<string, { content?: object }>
}
type Route = { path: string; operation: Operation }

let app: App
/** What stands for a parameter, by its name, after the path where it means something else there. */
let values: Record<string, readonly string[]>
beforeAll(async () => {
  app = await openProjects({ RATE_UPLOADS: '1000/day' })
  values = { ...said, ...(await world()) }
}, 60_000)

const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
const hostile = [
  '',
  ' ',
  '-1',
  '0',
  '1e9',
  'null',
  '%',
  "' OR 1=1 --",
  '\u0000',
  '🜁',
  '../..',
  'मन्दिर',
  'x'.repeat(3000),
]
const flag = ['1', 'true', '0', 'false']
const ordering = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at', '-triage_priority']

const said: Record<string, readonly string[]> = {
  access_tier: ['public', 'restricted'],
  activity_type: ['contribution_submitted', 'comment_added', 'review_accepted'],
  all: flag,
  asserted_property: ['note', 'name'],
  category: ['tangible', 'intangible', 'spatiotemporal', 'actors'],
  contradictions_only: flag,
  contributor: ['dev', 'other', 'nobody'],
  domain: ['structure', 'location'],
  entity_type: ['structure', 'structures'],
  facets: flag,
  flag_type: ['other', 'duplicate'],
  format: ['json', 'yaml', 'prometheus'],
  from: ['1', '2'],
  group: ['location', 'structure'],
  hint: ['x', Buffer.from('["x",1]').toString('base64url')],
  identifier: ['Q1', 'none'],
  include_members: flag,
  ingest_status: ['registered', 'pending'],
  institution: ['Heritage'],
  is_read: flag,
  is_resolved: flag,
  kind: ['structure', 'person'],
  limit: ['1', '100', '0', '101'],
  locked: flag,
  max_trust_tier_rank: ['1', '5', '0'],
  min_worst_source_rank: ['1', '5', '0'],
  mine: flag,
  my_domain: flag,
  name: ['Survey', 'survey of'],
  offset: ['1', '1000'],
  ordering: [...ordering, 'merged_at', '-submitted_at', 'date_joined', '-date_joined'],
  owner: ['dev', 'nobody'],
  page: ['1', '2', '1000'],
  page_size: ['1', '100'],
  property: ['note', 'name'],
  published: flag,
  q: ['sight', 'Sight pub', 'सिग्त'],
  registry_key: ['structure'],
  resource: ['structures', 'users', 'projects', 'structures,review_queue', 'entity_clusters'],
  search: ['sight', 'Sight pub', 'dev', 'survey'],
  sort: ['relevance', 'newest', '-created_at', 'name'],
  source_type: ['book', 'archive'],
  stale_days: ['1', '30'],
  state: ['draft', 'in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'],
  status: [
    ...['published', 'accepted', 'pending', 'pending_review', 'pending_revision', 'rejected', 'deleted'],
    'approved',
  ],
  to: ['1', '2'],
  type: ['all', 'structure', 'person', 'contributor', 'week', 'month'],
  type_scope: ['structure', 'architecturalstructure'],
  username: ['dev', 'reviewer', 'nobody'],
  version: ['1', '2'],
  visibility: ['public', 'private', 'org'],
}

/** Something of all that there is, in every state; answers what there is to ask for. */
async function world(): Promise<Record<string, readonly string[]>> {
  const following = await followTable()
  const sights = Object.values(await everyState(app, 'structures'))
  const [sight = { id: 0, cultural_entity_id: '' }] = sights
  const place = await publish(app, 'locations', { name: 'Sight place', coordinates: '27.6722, 85.4279' })
  await publish(app, 'events', { name: 'Sight event', location: 'Sight place' })
  await contribute(app.other, 'persons', { name: 'Sight person' })
  sure(200, await app.contributor.patch(`/cidoc/structures/${sight.id}/`, { body: { note: 'A second note' } }))

  const about = { entity_type: 'structure', entity_id: sight.id, property: 'note', value: 'Another note' }
  const claim = sure(201, await app.other.post('/cidoc/assertions/', { body: about }))
  const paper = new FormData()
  paper.set('name', 'Survey')
  paper.set('source_type', 'book')
  paper.set('uploaded_file', new File([Uint8Array.from(pdf())], 'survey.pdf'))
  const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: paper }))
  const bare = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Survey of walls' } }))
  const gathers = {
    canonical_label: 'Sights',
    type_scope: 'structure',
    members: [{ entity_type: 'structure', entity_id: sight.id }],
  }
  const cluster = sure(201, await app.community.post('/cidoc/entity-clusters/', { body: gathers }))
  const raised = { entity: sight.cultural_entity_id, flag_type: 'other' }
  const mark = sure(201, await app.community.post('/data/review-flags/', { body: raised }))

  const thread = `/data/entities/${sight.cultural_entity_id}/comments/`
  const remark = sure(201, await app.other.post(thread, { body: { comment: 'Said' } }))
  sure(201, await app.contributor.post(thread, { body: { comment: 'Answered', parent: remark.comment_id } }))
  const sent = await Promise.all(['pending', 'accepted', 'rejected'].map((status) => submit('dev', { status })))
  const change = { submission: sent[0]?.id, title: 'T', description: 'D' }
  const suggestion = sure(201, await app.other.post('/data/submission-suggestions/', { body: change }))
  const application = sure(
    201,
    await app.other.post('/data/reviewer-applications/', { body: { message: 'I know them.' } }),
  )

  const slugs: string[] = []
  for (const state of said.state ?? []) {
    const one = await contribute(app.contributor, 'traditions', { name: `Sight ${state}` })
    slugs.push(await projectIn(app, state, [one], { visibility: slugs.length % 2 === 0 ? 'public' : 'private' }))
  }
  const [slug = ''] = slugs
  const saying = sure(201, await app.contributor.post(at(slug, 'comments/'), { body: { comment: 'Said' } }))
  const sound = new FormData()
  sound.set('file', new File([Uint8Array.from(mp3())], 'a.mp3'))
  const asset = sure(201, await app.contributor.post(at(slug, 'assets/upload/'), { body: sound }))
  await following.settled()
  const { handler: putOut } = await import('../functions/exporter.ts')
  await putOut()
  // Some of what waits has waited for long.
  app.tick(40 * 86_400)
  await contribute(app.contributor, 'structures', { name: 'Sight of today' })
  await following.settled()

  const ids = async (who: Persona, path: string, name = 'id') =>
    sure(200, await who.get(path))
      .results.slice(0, 3)
      .map((it: Record<string, unknown>) => String(it[name]))
  const people = await ids(app.staff, '/data/platform-admin/users/')
  const entities = [...sights, place].map((it) => it.cultural_entity_id)
  const revisions = await ids(app.staff, `/data/revisions/?entity=${sight.cultural_entity_id}`, 'revision_id')
  return {
    after: sent.map((it) => it.submission_id),
    cultural_entity_id: entities,
    entity: entities,
    entity_id: entities,
    file: ['page.js', 'page.css'],
    notification_type: ['review_decision', 'comment'],
    reviewer: people,
    slug: slugs,
    submission_id: [sight.cultural_entity_id, ...sent.map((it) => it.submission_id)],
    user_id: people,
    'user slug': people,
    'assertions entity_id': [String(sight.id)],
    'assertions id': [claim.id],
    'data_sources id': [source.id, bare.id],
    'entity-clusters id': [cluster.id],
    'related id': [String(sight.id), String(place.id)],
    'activities id': await ids(app.staff, '/data/activities/', 'activity_id'),
    'comments id': [remark.comment_id, String(remark.id), saying.comment_id],
    'moderations id': sent.map((it) => it.submission_id),
    'notifications id': await ids(app.contributor, '/data/notifications/'),
    'users id': people,
    'assets id': [asset.id],
    'entities id': await ids(app.contributor, at(slug, 'entities/')),
    'memberships id': await ids(app.contributor, at(slug, 'memberships/')),
    'review-flags id': [mark.id],
    'reviewer-applications id': [application.id],
    'reviewer-roles id': await ids(app.staff, '/data/reviewer-roles/'),
    'revisions id': revisions,
    'submission-suggestions id': [String(suggestion.id)],
    'submissions id': sent.flatMap((it) => [String(it.id), it.submission_id]),
    // Of a record of any kind.
    id: sights.map((it) => String(it.id)),
  }
}

/** What stands for a parameter of a route: of a member of a list, what the list is of. */
function valuesFor(name: string, path: string): readonly string[] {
  const before = path.slice(0, path.indexOf(`{${name}}`) + 1 || undefined)
  const place = before
    .split('/')
    .filter((part) => /^[a-z]/.test(part))
    .at(-1)
  return values[`${place} ${name}`] ?? values[name] ?? []
}

/** The kinds of record share their routes, so each question about a list is put to one of them, in turns. */
const segments = recordKinds.map((key) => kinds[key].segment)
const isOfKind = (path: string, kind: string) => path.startsWith(`/api/v1/cidoc/${kind}/`)
const routes = Object.entries<{ get?: Operation }>(document.paths).flatMap(([path, { get }]) =>
  get && !segments.some((kind) => kind !== 'structures' && isOfKind(path, kind)) ? [{ path, operation: get }] : [],
)

type Ask = { path: string; query: Record<string, string>; headers: Record<string, string> }

/** The questions to one route: of each place, with each value, with each two parameters, and in each form of answer. */
function asksOf({ path, operation }: Route): { single: Ask[]; paired: Ask[] } {
  const named = (where: string) => operation.parameters.filter((it) => it.in === where).map(({ name }) => name)
  const places = placesOf(path, named('path'))
  const ask = (i: number, query: Record<string, string> = {}, headers: Record<string, string> = {}): Ask => {
    const place = places.known[i % places.known.length] ?? path
    const kind = segments[i % segments.length] ?? ''
    return { path: place.replace(/cidoc\/structures\/$/, `cidoc/${kind}/`), query, headers }
  }
  const wanted = operation.parameters.filter((it) => it.in === 'query')
  const valuesOf = wanted.map(({ name, schema }) => {
    const listed = [...JSON.stringify(schema).matchAll(/"enum":(\[.*?\])/g)].flatMap(([, list]) =>
      JSON.parse(list ?? '[]'),
    )
    return { name, values: listed.length > 0 ? listed : valuesFor(name, path) }
  })
  let turn = 0
  const next = (all: readonly string[]) => all[turn++ % all.length] ?? ''
  const pairs = valuesOf.flatMap((one, i) => valuesOf.slice(i + 1).map((other) => [one, other] as const))
  const types = Object.keys(operation.responses['200']?.content ?? {})
  return {
    single: [
      ...places.known.map((_, i) => ask(i)),
      ...places.hostile.map((at) => ({ path: at, query: {}, headers: {} })),
      ...valuesOf.flatMap(({ name, values }, i) =>
        [...values, next(hostile), next(hostile)].map((value, k) => ask(i + k, { [name]: value })),
      ),
      ...types.map((accept, i) => ask(i, {}, { accept })),
      ...['"x"', '*', 'x'].map((tag) => ask(0, {}, { 'if-none-match': tag })),
    ],
    paired: pairs.map(([one, other], i) =>
      ask(i, { [one.name]: next(one.values), [other.name]: next(other.values) }, { accept: next(types) }),
    ),
  }
}

/** The addresses that a route has here: every value of the param that has the most, and some where nothing is. */
function placesOf(path: string, names: readonly string[]): { known: string[]; hostile: string[] } {
  const fill = (valueOf: (name: string) => string) =>
    names.reduce((at, name) => at.replace(`{${name}}`, encodeURIComponent(valueOf(name))), path)
  const given = Object.fromEntries(names.map((name) => [name, valuesFor(name, path)]))
  const most = Math.max(1, ...Object.values(given).map((all) => all.length))
  const at = (i: number) => fill((name) => given[name]?.[i % given[name].length] ?? '')
  const last = names.at(-1)
  return {
    known: Array.from({ length: most }, (_, i) => at(i)),
    hostile: last
      ? [unknown, '999999999', ...hostile.slice(1)].map((it) =>
          fill((name) => (name === last ? it : (given[name]?.[0] ?? ''))),
        )
      : [],
  }
}

const people = ['anon', 'contributor', 'community', 'curator', 'staff'] as const

test('everything that is asked for by a name has a value here', () => {
  const mute = routes.flatMap(({ path, operation }) =>
    operation.parameters
      .filter((it) => it.in !== 'header' && !JSON.stringify(it.schema).includes('enum'))
      .filter(({ name }) => valuesFor(name, path).length === 0)
      .map(({ name }) => `${path} ${name}`),
  )
  expect(mute).toEqual([])
})

describe('no question fails', () => {
  test.each(routes)('$path', async (route) => {
    const { single, paired } = asksOf(route)
    const failed: string[] = []
    const put = async (who: (typeof people)[number], { path, query, headers }: Ask) => {
      const fault = await app[who].get(path, { query, headers }).then(
        ({ status, text }) => (status >= 500 ? `${status} ${text}` : ''),
        (error: unknown) => String(error),
      )
      if (fault)
        failed.push(`${who} ${path.slice(0, 200)} ${JSON.stringify({ ...query, ...headers }).slice(0, 200)}: ${fault}`)
    }
    for (const one of single) for (const who of people) await put(who, one)
    for (const [i, one] of paired.entries()) for (const who of people) if (i >= 0) await put(who, one)
    asked += people.length * (single.length + paired.length)
    expect(failed).toEqual([])
  })
  test('n', () => console.log('ASKED', asked))
})
let asked = 0
