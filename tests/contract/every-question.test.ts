import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { once } from '../../lib/base/once.ts'
import { kinds, recordKinds } from '../../lib/domain/kinds/index.ts'
import type { App, Persona } from '../harness/app.ts'
import { fileOf, form, upload } from '../harness/asset-world.ts'
import { followTable } from '../harness/following.ts'
import { checkTable, csv } from '../harness/imports.ts'
import { alertOn, contribute, everyState, LINKED, lookAlikes, publish, submit, sure } from '../harness/make.ts'
import { mp3, pdf, photographs } from '../harness/media-files.ts'
import { at, openProjects, projectIn } from '../harness/projects.ts'

/**
 * Every question that GET can ask: each parameter that the document declares with each of its values, and each two of them
 * together, by people of five ranks in turns. None fails, and each answer is one that the document knows: tests/harness/app.ts sees to that.
 * What the functions need of the table and the bucket for it is noted meanwhile; see deploy/access.ts.
 */

type Operation = {
  parameters: { name: string; in: string; required?: boolean; schema: object }[]
  responses: Record<string, { content?: object }>
}
type Route = { path: string; operation: Operation }

let app: App
/** What stands for a parameter, by its name, after the path where it means something else there. */
let values: Record<string, readonly string[]>
/** Opens the world for the first group that needs it. */
const openWorld = once(async () => {
  app = await openProjects({ RATE_UPLOADS: '1000/day' })
  values = { ...said, ...(await world()) }
})

const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
const hostile = ['', ' ', '-1', '0', '1e9', 'null', '%', "' OR 1=1 --", '\u0000', '🜁', '..', 'मन्दिर', 'x'.repeat(3000)]
const flag = ['1', 'true', '0', 'false']
const ordering = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at', '-triage_priority']

const said: Record<string, readonly string[]> = {
  again: ['1'],
  access_tier: ['public', 'restricted'],
  activity_type: ['contribution_submitted', 'comment_added', 'review_accepted'],
  after: ['0', '1', '999999'],
  all: flag,
  asserted_property: ['note', 'name'],
  category: ['tangible', 'intangible', 'spatiotemporal', 'actors'],
  contradictions_only: flag,
  contributor: ['dev', 'other', 'nobody'],
  collection: ['structures'],
  datetime: ['1702-01-01T00:00:00Z', '1700-01-01/..'],
  domain: ['structure', 'location'],
  'exports name': ['structure.jsonl', 'structure.csv'],
  entity_type: ['structure', 'structures'],
  node_limit: ['1', '2001', 'x'],
  edge_limit: ['1', '10001', 'x'],
  uri: ['https://w3id.org/heritagegraph/resource/structure/1', 'x'],
  facets: flag,
  flag_type: ['other', 'duplicate'],
  format: ['json', 'yaml', 'prometheus', 'csv', 'xlsx', 'html', 'jsonld'],
  from: ['1', '2'],
  group: ['location', 'structure'],
  hint: ['x', Buffer.from('["x",1]').toString('base64url')],
  identifier: ['Q1', 'none'],
  include_diff: flag,
  include_members: flag,
  ingest_status: ['registered', 'pending'],
  institution: ['Heritage'],
  is_read: flag,
  is_resolved: flag,
  kind: ['structure', 'person'],
  lang: ['en', 'ne', 'fr'],
  part: ['1.xml.gz', '9.xml.gz'],
  languages: ['ne', 'en,ne'],
  limit: ['1', '100', '0', '101'],
  locked: flag,
  max_trust_tier_rank: ['1', '5', '0'],
  min_worst_source_rank: ['1', '5', '0'],
  mine: flag,
  my_domain: flag,
  name: ['Survey', 'survey of'],
  subject: ['http://localhost:8000/cidoc/structures/1/', '?s'],
  values: ['(?s) { (<http://localhost:8000/cidoc/structures/1/>) }', 'none'],
  predicate: ['http://www.w3.org/2000/01/rdf-schema#label', 'none'],
  object: ['"Survey"', '"a"@ne', '"1"^^http://www.w3.org/2001/XMLSchema#integer'],
  offset: ['1', '1000'],
  routes: ['community_review', 'none'],
  ontology_class: ['structure', 'none'],
  authority: ['wikidata', 'none'],
  is_stale: ['true', 'false'],
  match_type: ['exact', 'close'],
  issue_type: ['stale_link', 'none'],
  ordering: [...ordering, 'merged_at', '-submitted_at', 'date_joined', '-date_joined'],
  outcome: ['new', 'refused'],
  owner: ['dev', 'nobody'],
  page: ['1', '2', '1000'],
  page_size: ['1', '100'],
  at: ['2025-01-15', '2024-12-31T23:59:59+05:45'],
  calendar: ['bs', 'ns', 'gregorian', 'julian', 'shaka'],
  'calendars from': ['bs', 'ns', 'gregorian'],
  'calendars to': ['bs', 'ns', 'gregorian'],
  date: ['BS 2081-01-01', '1702~', 'NS 1145'],
  bbox: ['85.2,27.6,85.5,27.8', '170,-10,-170,10'],
  near: ['27.67,85.32'],
  within: ['2', '1000'],
  literal: flag,
  without: ['place:patan', 'sort:mandir'],
  place: ['Patan'],
  style: ['pagoda'],
  period: ['Malla period'],
  tradition: ['Newar'],
  deity: ['Shiva'],
  cursor: ['0', '10'],
  extend: ['{"ids":[],"properties":[]}', '{'],
  include: ['record'],
  metadataPrefix: ['oai_dc', 'marc'],
  callback: ['take', 'a b'],
  prefix: ['sight', 'str'],
  queries: ['{"q":{"query":"sight"}}', '{}'],
  resumptionToken: ['forged'],
  same_as: ['wd:Q37', 'aat:1'],
  set: ['structure', 'none'],
  until: ['2025-01-15', '2030-01-01T00:00:00Z'],
  verb: ['Identify', 'ListRecords', 'ListIdentifiers', 'ListSets', 'ListMetadataFormats', 'GetRecord'],
  material: ['brick'],
  comment_id: ['1', '2'],
  columns: ['name,note', 'none'],
  evidence: ['true', 'maybe'],
  column: ['Condition', 'none'],
  field: ['condition', 'none'],
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
  number: ['1', '2'],
  region: ['full', 'square', 'pct:0,0,50,50', '0,0,0,0'],
  size: ['max', '20,', '^!200,200'],
  rotation: ['0', '!90'],
  'iiif file': ['default.jpg', 'gray.png', 'default.webp'],
}

/** What only the world has values for: the ids of what is in it. */
const worldNames = [
  'after',
  'cultural_entity_id',
  'entity',
  'entity_id',
  'file',
  'notification_type',
  'number',
  'reviewer',
  'slug',
  'submission_id',
  'user_id',
  'user slug',
  'assertions entity_id',
  'hooks id',
  'assertions id',
  'data_sources id',
  'entity-clusters id',
  'merge-requests id',
  'merge-requests project',
  'project_id',
  'source_cluster_id',
  'identity-candidates id',
  'identity-summary entity_id',
  'related id',
  'activities id',
  'comments id',
  'projects comments id',
  'moderations id',
  'notifications id',
  'users id',
  'organizations id',
  'schema-extension-proposals id',
  'curator-alerts id',
  'reconciled-links id',
  'entity-proposals id',
  'relationship-proposals id',
  'ocr-documents id',
  'public-contributions id',
  'forks id',
  'fork_entity_id',
  'assets id',
  'imports id',
  'tabular-import-jobs id',
  'entities id',
  'memberships id',
  'review-flags id',
  'reviewer-applications id',
  'reviewer-roles id',
  'revisions id',
  'submission-suggestions id',
  'submissions id',
  'stop token',
  'feed token',
  'watches stop token',
  'citations id',
  'citations after',
  'confirm token',
  'set token',
  'pictures id',
  'records entity_id',
  'image',
  'id',
  'number',
] as const
type WorldName = (typeof worldNames)[number]

/** Something of all that there is, in every state; answers what there is to ask for. */
async function world(): Promise<Record<WorldName, readonly string[]>> {
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
  const others = await Promise.all(
    ['A', 'B', 'C', 'D'].map(async (canonical_label) => {
      const body = { canonical_label, type_scope: 'structure' }
      return sure(201, await app.community.post('/cidoc/entity-clusters/', { body })).id
    }),
  )
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

  const rows = [
    ['Temple name', 'Remarks'],
    ['Sight of a list', 'One'],
  ]
  const photograph = (await photographs())['image/jpeg']
  const picture = async () =>
    sure(201, await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(photograph, 'a.jpg') }) }))
  const pictured = await publish(app, 'structures', { name: 'Pictured sight', images: [await picture()] })
  const spare = await picture()

  const batch = await checkTable(app.contributor, 'sights.csv', csv(rows))
  const leaves = { entity_name: 'Sight', content: 'Seen by a visitor.', entity_id: sight.cultural_entity_id }
  const left = sure(201, await app.anon.post('/data/public-contributions/', { body: leaves }))
  const differs = { entity_id: sight.cultural_entity_id, reason: 'By a stone.', changes: { note: 'Of stone.' } }
  const fork = sure(201, await app.other.post('/data/forks/', { body: differs }))
  const paged = form({ file: fileOf(photograph, 'a.jpg'), standalone_ingestion: 'true' })
  const page = sure(201, await app.contributor.post('/data/ocr-documents/upload/', { body: paged }))
  const wishes = { title: 'Sight', proposed_yaml: 'classes: {}' }
  const wish = sure(201, await app.contributor.post('/data/schema-extension-proposals/', { body: wishes }))
  const linked = await alertOn(await publish(app, 'structures', { name: 'Sight link', same_as: [LINKED] }))
  const thing = { canonical_label: 'Sight', type_scope: 'structure' }
  const things = sure(201, await app.contributor.post('/data/entity-proposals/', { body: thing }))
  const near = sure(201, await app.contributor.post('/data/relationship-proposals/', { body: { predicate: 'near' } }))
  const guthi = sure(201, await app.other.post('/data/organizations/', { body: { name: 'Sight guthi' } }))
  const hook = sure(201, await app.contributor.post('/api/user/hooks/', { body: { url: 'https://example.org/' } }))

  await following.settled()
  const cited = sure(201, await app.contributor.post('/data/citations/', { body: { of: '/cidoc/structures/' } }))

  const watched = { what: 'kind', about: 'structure' }
  const watch = sure(201, await app.contributor.post('/data/watches/', { body: watched }))

  const { addressLink, confirmLink, passwordLink, stopLink } = await import('../../lib/doors/letters/links.ts')
  const me = sure(200, await app.contributor.get('/api/user/info'))
  const tokenIn = (link: string) => new URL(link).searchParams.get('token') ?? ''

  const slugs: string[] = []
  for (const state of said.state ?? []) {
    const one = await contribute(app.contributor, 'traditions', { name: `Sight ${state}` })
    slugs.push(await projectIn(app, state, [one], { visibility: slugs.length % 2 === 0 ? 'public' : 'private' }))
  }
  const [slug = ''] = slugs
  sure(201, await upload(app.contributor, at(slug, 'assets/'), photograph, 'a.jpg'))
  const saying = sure(201, await app.contributor.post(at(slug, 'comments/'), { body: { comment: 'Said' } }))
  const sound = new FormData()
  sound.set('file', new File([Uint8Array.from(mp3())], 'a.mp3'))
  const asset = sure(201, await app.contributor.post(at(slug, 'assets/upload/'), { body: sound }))
  await following.settled()
  const { handler: putOut } = await import('../../functions/exporter.ts')
  await putOut()
  // Some of what waits has waited for long.
  app.tick(40 * 86_400)
  await contribute(app.contributor, 'structures', { name: 'Sight of today' })
  await following.settled()

  const requests = await Promise.all(slugs.map(async (one) => String(sure(200, await app.staff.get(at(one))).id)))
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
    'hooks id': [hook.id],
    'assertions id': [claim.id],
    'data_sources id': [source.id, bare.id],
    'entity-clusters id': [cluster.id],
    source_cluster_id: others,
    'merge-requests id': requests,
    'merge-requests project': requests,
    project_id: requests,
    'identity-candidates id': [(await lookAlikes(app)).id],
    'identity-summary entity_id': [String(sight.id)],
    'related id': [String(sight.id), String(place.id)],
    'activities id': await ids(app.staff, '/data/activities/', 'activity_id'),
    'comments id': [remark.comment_id, String(remark.id)],
    'projects comments id': [saying.comment_id],
    'moderations id': sent.map((it) => it.submission_id),
    'notifications id': await ids(app.contributor, '/data/notifications/', 'notification_id'),
    'users id': people,
    'organizations id': [guthi.id],
    'schema-extension-proposals id': [wish.id],
    'curator-alerts id': [linked.alert],
    'reconciled-links id': [linked.link],
    'entity-proposals id': [things.id],
    'relationship-proposals id': [near.id],
    'ocr-documents id': [page.uploaded_document_id],
    'public-contributions id': [left.id],
    'forks id': [fork.id],
    fork_entity_id: [fork.id],
    'assets id': [asset.id],
    'imports id': [batch.id],
    'tabular-import-jobs id': [batch.id],
    'entities id': await ids(app.contributor, at(slug, 'entities/')),
    'memberships id': await ids(app.contributor, at(slug, 'memberships/')),
    'review-flags id': [mark.id],
    'reviewer-applications id': [application.id],
    'reviewer-roles id': await ids(app.staff, '/data/reviewer-roles/'),
    'revisions id': revisions,
    'submission-suggestions id': [String(suggestion.id)],
    'submissions id': sent.flatMap((it) => [String(it.id), it.submission_id]),
    'feed token': [tokenIn(watch.feed_url), 'forged'],
    'citations id': [cited.id],
    'citations after': [sight.cultural_entity_id],
    'watches stop token': [tokenIn(watch.stop_url), 'forged'],
    'stop token': [tokenIn(stopLink('http://localhost:8000', me.id)), 'forged'],
    // It is good until the world has grown older.
    'confirm token': [
      tokenIn(confirmLink('http://localhost:8000', me.id, me.email)),
      tokenIn(addressLink('http://localhost:8000', { id: me.id, ownership: 1 }, me.email)),
      'forged',
    ],
    'set token': [tokenIn(passwordLink('http://localhost:8000', { id: me.id, token_generation: 1 })), 'forged'],
    'pictures id': [spare.id],
    'records entity_id': [pictured.cultural_entity_id, ...entities],
    image: [pictured.images[0].iiif.split('/').at(-1), unknown],
    // Of a record of any kind.
    id: sights.map((it) => String(it.id)),
    number: sights.map((it) => String(it.id)),
  }
}

/** What stands for a parameter of a route: of a member of a list, what the list is of. */
function valuesFor(name: string, path: string, all = values): readonly string[] {
  const [before = ''] = path.split(`{${name}}`)
  const [place, around] = before
    .split('/')
    .filter((part) => /^[a-z]/.test(part))
    .reverse()
  return all[`${around} ${place} ${name}`] ?? all[`${place} ${name}`] ?? all[name] ?? []
}

/** The kinds of record share their routes, so each question about a list is put to one of them, in turns. */
const segments = recordKinds.map((key) => kinds[key].segment)
const isOfKind = (path: string, kind: string) => path.startsWith(`/api/v1/cidoc/${kind}/`)
const document: { paths: Record<string, { get?: Operation }> } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const routes = Object.entries(document.paths).flatMap(([path, { get }]) =>
  get && !segments.some((kind) => kind !== 'structures' && isOfKind(path, kind)) ? [{ path, operation: get }] : [],
)

const people = ['anon', 'contributor', 'community', 'curator', 'staff'] as const
type Who = (typeof people)[number]
type Ask = { path: string; query: Record<string, string>; headers: Record<string, string>; by: readonly Who[] }

/** The parameters that dozens of routes take, and one place reads: which page, and in which form. */
const everywhere: ReadonlySet<string> = (() => {
  const taken = routes.flatMap(({ operation }) => operation.parameters.filter((it) => it.in === 'query'))
  const many = Map.groupBy(taken, ({ name }) => name)
  return new Set([...many].filter(([, all]) => all.length > 40).map(([name]) => name))
})()
/** The first route that takes all of them. */
const firstList = routes.find(({ operation }) =>
  [...everywhere].every((name) => operation.parameters.some((it) => it.in === 'query' && it.name === name)),
)?.path

/** The questions to one route: of each place, with each value, with each two parameters, and in each form of answer. */
function asksOf({ path, operation }: Route): Ask[] {
  const paramsIn = (where: string) => operation.parameters.filter((it) => it.in === where)
  const places = placesOf(
    path,
    paramsIn('path').map(({ name }) => name),
  )
  const ask = (i: number, sent: Partial<Ask> = {}): Ask => {
    const place = places.known[i % places.known.length] ?? path
    const kind = segments[i % segments.length] ?? ''
    const at = place.replace(/cidoc\/structures\/$/, `cidoc/${kind}/`)
    return { path: at, query: {}, headers: {}, by: people, ...sent }
  }
  // Each route begins its turns elsewhere, so that together they ask everything of what all read in one place.
  let turns = routes.findIndex((it) => it.path === path)
  const next = <T>(all: readonly T[]): T => all[turns++ % all.length] as T
  const offered = paramsIn('query').map(({ name, schema, required = false }) => ({
    name,
    required,
    values: [...new Set([...valuesFor(name, path), ...(listedIn(schema) ?? [])])],
    listed: listedIn(schema) ?? [],
  }))
  /** What a parameter is given. What one place reads for all routes has the values that the route lists, and one of all in turns. */
  const given = ({ name, values, listed }: (typeof offered)[number]) =>
    everywhere.has(name)
      ? [...new Set([...listed, next([...values, ...hostile])])]
      : [...values, next(hostile), next(hostile)]
  const required = offered.filter((it) => it.required)
  const together = (k: number) =>
    Object.fromEntries(required.map(({ name, values }) => [name, values[k % values.length] ?? '']))
  // One of those that say which page is enough beside others.
  const paired = offered.filter(({ name }) => !['offset', 'page', 'page_size', 'hint'].includes(name))
  const pairs = paired
    .flatMap((one, i) => paired.slice(i + 1).map((other) => [one, other]))
    // Two that one place reads are beside each other on the first of these routes.
    .filter((both) => path === firstList || !both.every(({ name }) => everywhere.has(name)))
  const types = Object.keys(operation.responses['200']?.content ?? {})
  /** Where there are but two parameters, they may be of use only together: each value of one with each of the other. */
  const lone = ([one, other]: readonly { name: string; values: readonly string[] }[]) =>
    (one?.values ?? []).flatMap((a, i) =>
      (other?.values ?? []).map((b) =>
        ask(i, { query: { [one?.name ?? '']: a, [other?.name ?? '']: b }, by: ['staff'] }),
      ),
    )
  return [
    ...places.known.map((_, i) => (i === 0 ? ask(i) : ask(i, { by: [next(people), next(people)] }))),
    ...places.hostile.map((at, i) => ask(i, { path: at, by: [next(people)] })),
    ...offered.flatMap((one, i) =>
      given(one).map((value, k) => ask(i + k, { query: { [one.name]: value }, by: [next(people)] })),
    ),
    ...(required.length > 1 ? [0, 1].map((k) => ask(k, { query: together(k) })) : []),
    ...pairs.map((both, i) => {
      const query = both.map(({ name, values }) => [name, values === flag ? '1' : next(values)])
      return ask(i, { query: Object.fromEntries(query), by: [next(people)] })
    }),
    ...(pairs.length === 1 ? lone(pairs[0] ?? []) : []),
    // By staff each form is asked for in 'HEAD and conditions'.
    ...types.map((accept, i) => ask(i, { headers: { accept }, by: [next(people)] })),
    ask(0, { headers: { 'if-none-match': 'x' }, by: [next(people)] }),
  ]
}

/** The values that the document itself lists. */
function listedIn(schema: object): readonly string[] | undefined {
  const [, list] = /"enum":(\[.*?\])/.exec(JSON.stringify(schema)) ?? []
  return list === undefined ? undefined : JSON.parse(list)
}

/** The addresses that a route has here: every value of the param that has the most, and some where nothing is. */
function placesOf(path: string, names: readonly string[]): { known: string[]; hostile: string[] } {
  const given = Object.fromEntries(names.map((name) => [name, valuesFor(name, path)]))
  const most = Math.max(1, ...Object.values(given).map((all) => all.length))
  const fill = (turn: number, last?: string) =>
    names.reduce((address, name, i) => {
      const known = given[name]?.[turn % given[name].length] ?? ''
      const value = i === names.length - 1 ? (last ?? known) : known
      return address.replace(`{${name}}`, encodeURIComponent(value))
    }, path)
  return {
    known: Array.from({ length: most }, (_, turn) => fill(turn)),
    hostile: names.length > 0 ? [unknown, '999999999', '0', '\u0000', 'मन्दिर'].map((it, turn) => fill(turn, it)) : [],
  }
}

test('whatever can be asked for has values here: add them to `said` in tests/contract/every-question.test.ts', () => {
  const known = { ...said, ...Object.fromEntries(worldNames.map((name) => [name, [name]])) }
  const mute = routes.flatMap(({ path, operation }) =>
    operation.parameters
      .filter((it) => it.in !== 'header' && !listedIn(it.schema) && valuesFor(it.name, path, known).length === 0)
      .map(({ name }) => `${path} ${name}`),
  )
  expect(mute).toEqual([])
})

describe('no question fails', () => {
  beforeAll(openWorld, 60_000)

  test('for want of something to ask for', () => {
    expect(Object.keys(values).filter((name) => values[name]?.length === 0)).toEqual([])
  })

  test.each(routes)('$path', async (route) => {
    const failed: string[] = []
    const statuses = new Set<number>()
    for (const { path, query, headers, by } of asksOf(route)) {
      for (const who of by) {
        const fault = await app[who].get(path, { query, headers }).then(
          ({ status, text }) => {
            statuses.add(status)
            return status >= 500 ? `${status} ${text}` : undefined
          },
          (error: unknown) => String(error),
        )
        if (fault) failed.push(`${who} ${path} ${JSON.stringify({ ...query, ...headers })}: ${fault}`.slice(0, 500))
      }
    }
    expect(failed).toEqual([])
    // Else nothing was found that could have failed.
    expect([...statuses]).toContain(unseen.includes(route.path) ? 404 : successOf(route))
  })
})

/** Letters of two code units each, of a script and of none, in turns; behind one more, a cut by code units falls into one of them. */
const letters = ['𑐣', '🜁']
const textOf = (length: number) => letters.join('').repeat(length / letters.length)
const withoutLetters = (text: string) => letters.reduce((left, letter) => left.replaceAll(letter, ''), text)
const leads = ['', 'a']
const lengths = [2, 30, 60, 110, 150, 210, 310, 2500]

describe('no text is cut within a character', () => {
  beforeAll(openWorld, 60_000)

  type Parameter = Operation['parameters'][number]
  /** What is read in one place for all routes is given texts by the first route that takes it. */
  const firstWith = (name: string) =>
    routes.find(({ operation }) => operation.parameters.some((it) => it.in === 'query' && it.name === name))?.path
  const textsOf = ({ path, operation }: Route) =>
    operation.parameters.filter(
      (it) => it.in === 'query' && !listedIn(it.schema) && (!everywhere.has(it.name) || firstWith(it.name) === path),
    )
  const worded = routes.filter((route) => textsOf(route).length > 0)

  /** The parameters that an answer refuses, and those that it says have no effect: neither hides anything of the others. */
  const toldIn = (status: number, body: unknown): ReadonlySet<string> => {
    const { warnings = [], ...members } = Object(body)
    const idle = warnings.filter(({ message }: { message: string }) => /has no effect/.test(message))
    const named = idle.map(({ member }: { member: string }) => member)
    return new Set([...(status === 400 ? Object.keys(members) : []), ...named])
  }

  // One answer may tell of many: whatever it does not tell of, some other refusal may have hidden, so it is asked alone.
  test.each(worded)('$path', async (route) => {
    const { path, operation } = route
    const texts = textsOf(route)
    const needed = operation.parameters.filter((it) => it.in === 'query' && it.required)
    const known = Object.fromEntries(
      needed.map((it) => [it.name, (listedIn(it.schema) ?? valuesFor(it.name, path))[0] ?? '']),
    )
    const names = operation.parameters.filter((it) => it.in === 'path').map((it) => it.name)
    const [place = path] = placesOf(path, names).known
    const failed: string[] = []
    const ask = async (by: Who, asked: readonly Parameter[], text: string) => {
      const query = { ...known, ...Object.fromEntries(asked.map(({ name }) => [name, text])) }
      const { status, text: said, body } = await app[by].get(place, { query })
      if (status >= 500 || !said.isWellFormed())
        failed.push(`${by} ${asked.map(({ name }) => name)} ${[...text].length}: ${status} ${said}`.slice(0, 300))
      const told = toldIn(status, body)
      return { told, words: `${status} ${status === 400 ? said : [...told]}` }
    }
    /** What is said of a text, wherever it stands. */
    const saidOf = async (by: Who, text: string): Promise<string> => {
      const said: string[] = []
      let left = texts
      for (let many = 0; left.length > 1 && many !== left.length; ) {
        many = left.length
        const { told, words } = await ask(by, left, text)
        said.push(words)
        left = left.filter(({ name }) => !told.has(name))
      }
      for (const each of left) said.push((await ask(by, [each], text)).words)
      return said.join('\n')
    }
    let turns = 0
    const answers = new Map<number, Promise<string>>()
    const answerTo = (length: number) => {
      const answer = answers.get(length) ?? saidOf('staff', textOf(length)).then(withoutLetters)
      answers.set(length, answer)
      return answer
    }
    /** Those after which the next is answered otherwise. Between two that are answered alike, whatever is cut is cut in the longer one. */
    const lastOfEach = async (some: readonly number[]): Promise<number[]> => {
      const [shortest = 0, longest = 0] = [some[0], some.at(-1)]
      if ((await answerTo(shortest)) === (await answerTo(longest))) return []
      if (some.length === 2) return [shortest]
      const middle = some.length >> 1
      return [...(await lastOfEach(some.slice(0, middle + 1))), ...(await lastOfEach(some.slice(middle)))]
    }
    for (const length of [...(await lastOfEach(lengths)), lengths.at(-1) ?? 0])
      for (const lead of leads) {
        // Staff is asked for each alone, since nobody else comes as far. Others get the same texts, in one question for all.
        await ask(people[turns++ % people.length] ?? 'staff', texts, lead + textOf(length))
        if (lead !== '') await saidOf('staff', lead + textOf(length))
      }
    expect(failed).toEqual([])
  })
})

describe('no value outside of a list is taken in silence', () => {
  beforeAll(openWorld, 60_000)

  const listed = routes.flatMap(({ path, operation }) =>
    operation.parameters
      .filter((it) => it.in === 'query' && listedIn(it.schema))
      .map(({ name }) => ({ path, operation, name })),
  )
  /** Refusals of a protocol have the form of the protocol. */
  const protocols: Readonly<Record<string, RegExp>> = { '/api/v1/data/oai/': /<error code="bad(Verb|Argument)"/ }

  test.each(listed)('$path $name', async ({ path, operation, name }) => {
    const params = operation.parameters.filter((it) => it.in === 'path').map((it) => it.name)
    // A search without words is refused before its filters are looked at.
    const needed = operation.parameters.filter((it) => it.in === 'query' && (it.required || it.name === 'q'))
    const known = Object.fromEntries(
      needed.map((it) => [it.name, (listedIn(it.schema) ?? valuesFor(it.name, path))[0] ?? '']),
    )
    const [place = path] = placesOf(path, params).known
    const query = { ...known, [name]: 'nonsense' }
    const lenient = await app.staff.get(place, { query })
    const protocol = protocols[path]
    if (protocol) return expect(lenient.text).toMatch(protocol)
    const warned = lenient.body?.warnings?.map((it: { member: string }) => it.member) ?? []
    const told = lenient.status === 400 ? Object.keys(lenient.body) : warned
    expect([...told, ...(lenient.headers.warning?.includes(`"${name}:`) ? [name] : [])]).toContain(name)
    const strict = await app.staff.get(place, { query, headers: { prefer: 'handling=strict' } })
    expect([strict.status, Object.keys(strict.body)]).toEqual([400, [name]])
  })
})

describe('HEAD and conditions', () => {
  beforeAll(openWorld, 60_000)

  /** What differs from one answer to the next. */
  const own = new Set(['x-request-id', 'x-cache'])
  const lasting = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))

  /** How a condition may name a tag. One place reads them all, so each answer is asked with one of them, in turns. */
  const forms = [(tag: string) => tag, (tag: string) => `W/${tag}`, (tag: string) => `"x", ${tag}`, () => '*'] as const
  let turns = 0

  test.each(routes)('$path', async ({ path, operation }) => {
    const names = operation.parameters.filter((it) => it.in === 'path').map((it) => it.name)
    const needed = operation.parameters.filter((it) => it.in === 'query' && it.required)
    const query = Object.fromEntries(
      needed.map((it) => [it.name, (listedIn(it.schema) ?? valuesFor(it.name, path))[0] ?? '']),
    )
    const tags = new Map<string, string>()
    const types = Object.keys(operation.responses['200']?.content ?? { '*/*': {} })
    // A second place shows whether tags differ between things. One form of it is enough.
    for (const [i, place] of placesOf(path, names).known.slice(0, 2).entries())
      for (const accept of i === 0 ? types : types.slice(0, 1)) {
        const ask = (method: string, headers = {}) =>
          app.staff.send(method, place, { query, headers: { accept, ...headers } })
        const [plain, head] = [await ask('GET'), await ask('HEAD')]
        expect(plain.status, plain.text).toBeLessThan(500)
        expect([head.status, head.text]).toEqual([plain.status, ''])
        expect(lasting(head.headers)).toEqual(lasting(plain.headers))
        const { etag, vary } = plain.headers
        if (plain.status !== 200 || !etag) continue
        const { 'content-type': type = '' } = plain.headers
        // What differs in its bytes differs in its tag.
        expect(tags.get(`${place} ${etag}`) ?? type).toBe(type)
        tags.set(`${place} ${etag}`, type)
        for (const method of ['GET', 'HEAD']) {
          turns += 1
          const known = forms[turns % forms.length]?.(etag) ?? etag
          const same = await ask(method, { 'if-none-match': known })
          expect([method, known, same.status, same.bytes.length]).toEqual([method, known, 304, 0])
          expect([same.headers.etag, same.headers.vary]).toEqual([etag, vary])
        }
        expect((await ask('GET', { 'if-none-match': '"x"' })).text).toBe(plain.text)
      }
    if (Object.keys(operation.responses).includes('304') && !unseen.includes(path)) expect(tags.size).toBeGreaterThan(0)
  })
})

/** What an answer that finds something has for a status: where a route only leads on, there is no 200. */
const successOf = ({ operation }: Route) => Math.min(...Object.keys(operation.responses).map(Number))
/** Nobody has an image here. */
const unseen = ['/api/v1/data/user/{slug}/image/']
