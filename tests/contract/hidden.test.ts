import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { addressOf } from '../../lib/base/ids/address.ts'
import { kinds, recordKinds } from '../../lib/domain/kinds/index.ts'
import type { Declared } from '../../lib/platform/http/endpoint.ts'
import type { Route } from '../../lib/platform/http/route.ts'
import type { Permission } from '../../lib/platform/permissions.ts'
import type { App, Persona } from '../harness/app.ts'
import { type Following, followTable } from '../harness/following.ts'
import { contribute, decide, publish, sure } from '../harness/make.ts'
import { linkTo, newProject, openProjects } from '../harness/projects.ts'

/**
 * Whoever may not see a thing is answered as if it were not there. What is hidden is made, changed, refused, withdrawn and
 * named in every way, while every GET of the API document is asked before and after, in each representation, by people who
 * may not see it: their answers stay the same, byte for byte, with their ETags.
 */

type Parameter = { name: string; in: string; schema: object }
type Operation = { parameters: Parameter[]; responses: Record<string, { content?: object }> }
const document: { paths: Record<string, { get?: Operation }> } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))

type Made = { id: number; cultural_entity_id: string }
let app: App
let following: Following
/** What public things name and their readers may not see, by why not. */
let hidden: Record<'pending' | 'stub' | 'deleted' | 'restricted' | 'source', { kind: string; id: number | string }>
let open: { structure: Made; event: Made; place: Made; deity: Made }
let waiting: Made
let boards: ReadonlySet<string>
let places: Readonly<Record<string, readonly string[]>>

const idOf = async (kind: string, name: string): Promise<Made> => {
  const rows = sure(200, await app.staff.get(`/cidoc/${kind}/`, { query: { all: 1, limit: 100 } })).results
  return rows.find((it: { name: string }) => it.name === name)
}
const claim = async (who: Persona, body: object) => sure(201, await who.post('/cidoc/assertions/', { body }))

afterAll(() => vi.useRealTimers())

beforeAll(async () => {
  // Addresses of files carry the time of day, which must not pass between two answers that are compared.
  vi.useFakeTimers({ toFake: ['Date'] })
  app = await openProjects()
  following = await followTable()
  const place = await publish(app, 'locations', { name: 'Open place', coordinates: '27.6722, 85.4279' })
  const deleted = await publish(app, 'locations', { name: 'Deleted place' })
  const restricted = await publish(app, 'deities', { name: 'Restricted deity' })
  const deity = await publish(app, 'deities', { name: 'Open deity' })
  waiting = await contribute(app.contributor, 'deities', { name: 'Waiting deity' })
  const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Secret survey' } }))
  const structure = await publish(app, 'structures', {
    name: 'Open temple',
    note: 'A temple that everyone knows.',
    has_current_location: deleted.id,
    source: source.id,
    dedicated_to: ['Waiting deity', deity.id, restricted.id],
  })
  const event = await publish(app, 'events', {
    name: 'Open feast',
    architectural_structures: [structure.id],
    took_place_at: 'Stub place',
  })
  const between = { entity_type: 'structure', entity_id: structure.id, asserted_property: 'relationship.located_in' }
  for (const other of [deleted, place]) {
    const said = await claim(app.other, { ...between, object_entity_type: 'location', object_entity_id: other.id })
    const body = { reconciliation_status: 'accepted' }
    sure(200, await app.curator.patch(`/cidoc/assertions/${said.id}/`, { body }))
  }
  const members = [{ entity_type: 'structure', entity_id: structure.id }]
  const cluster = { canonical_label: 'Open cluster', type_scope: 'structure', members }
  const gathered = sure(201, await app.community.post('/cidoc/entity-clusters/', { body: cluster }))
  const slug = await newProject(app.contributor, { visibility: 'public' })
  await linkTo(app.contributor, slug, await contribute(app.contributor, 'traditions', { name: 'Shared rite' }))
  const thread = `/data/entities/${structure.cultural_entity_id}/comments/`
  const remark = sure(201, await app.other.post(thread, { body: { comment: 'Said by all' } }))
  open = { structure, event, place, deity }

  // What everyone could see is hidden now.
  sure(204, await app.staff.delete(`/cidoc/locations/${deleted.id}/`))
  await change('deities', restricted, { access_tier: 'restricted' })
  sure(200, await app.contributor.patch(`/cidoc/data_sources/${source.id}/`, { body: { access_tier: 'org_only' } }))
  const stub = await idOf('locations', 'Stub place')
  hidden = {
    pending: { kind: 'deities', id: waiting.id },
    stub: { kind: 'locations', id: stub.id },
    deleted: { kind: 'locations', id: deleted.id },
    restricted: { kind: 'deities', id: restricted.id },
    source: { kind: 'data_sources', id: source.id },
  }
  await following.settled()
  const { declarationOf: read } = await import('../../lib/platform/http/endpoint.ts')
  boards = await routesOf('board.list', read)
  places = await placesOf([structure, event, place, deity, deleted, restricted, waiting, stub], {
    slug,
    cluster: gathered.id,
    source: source.id,
    comment: remark.comment_id,
  })
}, 120_000)

/** An edit that the curator accepts. */
async function change(segment: string, it: Made, body: object) {
  sure(200, await app.contributor.patch(`/cidoc/${segment}/${it.id}/`, { body }))
  sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
}

async function placesOf(all: readonly Made[], named: Record<'slug' | 'cluster' | 'source' | 'comment', string>) {
  const rows = async (path: string) => sure(200, await app.staff.get(path)).results
  const entities = all.map((it) => it.cultural_entity_id)
  const temple = open.structure.cultural_entity_id
  const revisions = (await rows(`/data/revisions/?entity=${temple}`)).map(
    (it: { revision_id: string }) => it.revision_id,
  )
  const people = (await rows('/data/platform-admin/users/')).map((it: { id: string }) => it.id)
  const acts = (await rows(`/data/activities/?entity=${temple}`)).map((it: { activity_id: string }) => it.activity_id)
  const claims = (await rows(`/cidoc/assertions/?cultural_entity_id=${temple}`)).map((it: { id: string }) => it.id)
  return {
    entity_id: entities,
    entity: entities,
    cultural_entity_id: entities,
    slug: [named.slug],
    user_id: people,
    contributor: ['dev', 'other'],
    username: ['dev', 'other', 'curator'],
    'user slug': people,
    'assertions id': claims,
    'entity-clusters id': [named.cluster],
    'data_sources id': [named.source],
    'revisions id': revisions,
    'activities id': acts,
    'comments id': [named.comment],
    'related id': all.map((it) => String(it.id)),
    ...idsOfKinds(all),
    // Of anything else that has a number, of which there is nothing here.
    id: [String(open.structure.id)],
    domain: ['structure', 'location', 'deity', 'event'],
    entity_type: ['structure', 'location'],
    q: ['place', 'open temple', 'secret', 'deity', 'person', 'pla'],
    search: ['place', 'open temple', 'secret', 'deity', 'person'],
    all: ['1'],
    facets: ['true'],
    ordering: ['name', '-name', '-created_at', '-updated_at', 'updated_at'],
    status: ['published', 'pending_review', 'accepted'],
    sort: ['newest', 'popularity'],
    from: ['1'],
    to: ['2'],
    asserted_property: ['has_current_location', 'relationship.located_in', 'source'],
    property: ['has_current_location', 'dedicated_to', 'source', 'note'],
    limit: ['3'],
    page_size: ['2'],
    flag_type: ['other', 'contradiction', 'suspected_duplicate'],
    is_resolved: ['true', 'false'],
    name: ['survey'],
    reviewer: people,
    type: ['week', 'month', 'all'],
    group: ['location'],
  }
}

/** The ids of records of each kind, for the paths of the kind. */
const idsOfKinds = (all: readonly Made[]) =>
  Object.fromEntries(
    recordKinds
      .map((key) => kinds[key])
      .filter(({ segment }) => inUse.includes(segment))
      .map(({ segment, code }) => {
        const own = all.filter((it) => addressOf(it.cultural_entity_id)?.kindCode === code)
        return [`${segment} id`, own.map((it) => String(it.id))]
      }),
  )

function valuesFor(name: string, path: string): readonly string[] {
  const [before = ''] = path.split(`{${name}}`)
  const [place, around] = before
    .split('/')
    .filter((part) => /^[a-z]/.test(part))
    .reverse()
  return places[`${around} ${place} ${name}`] ?? places[`${place} ${name}`] ?? places[name] ?? []
}

/** Every address of a route that the world gives it. */
function filled(path: string, route = path): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (!name) return [path]
  return valuesFor(name, route).flatMap((value) => filled(path.replace(`{${name}}`, encodeURIComponent(value)), route))
}

/** Lists of kinds of which there is nothing here say nothing. */
const inUse = ['structures', 'locations', 'deities', 'events']
const segments = recordKinds.map((key) => kinds[key].segment)
const isUsed = (path: string) =>
  !segments.some((kind) => path.startsWith(`/api/v1/cidoc/${kind}/`)) ||
  inUse.some((kind) => path.includes(`/${kind}/`))

/** The addresses of the routes that may be called by this permission. */
async function routesOf(permission: Permission, declarationOf: (route: Route) => Declared): Promise<Set<string>> {
  const found = new Set<string>()
  for (const name of functionNames()) {
    const { routes = {} }: { routes?: Record<string, Route> } = await import(`../../functions/${name}.ts`)
    for (const [route, declared] of Object.entries(routes))
      if (declarationOf(declared).permission === permission) found.add(route.replace('GET ', '/api/v1'))
  }
  return found
}

type Question = { route: string; path: string; query: Record<string, string>; accept: string | undefined }
function questions(): Question[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    // How much each has contributed is public, whatever became of it: see board.list in lib/platform/permissions.ts.
    if (!get || !isUsed(path) || boards.has(path)) return []
    const types = Object.keys(get.responses['200']?.content ?? {}).filter((type) => /json/.test(type))
    const asked = get.parameters.filter((it) => it.in === 'query')
    const single = asked.flatMap(({ name }) => valuesFor(name, path).map((value) => ({ [name]: value })))
    const pairs = valuesFor('related id', path).flatMap((id) => (places.domain ?? []).map((domain) => ({ domain, id })))
    const needed = [
      ...(path.endsWith('/diff/') ? [{ from: '1', to: '2' }] : []),
      ...(path.endsWith('/related/') ? pairs : []),
    ]
    return filled(path).flatMap((place) => [
      ...[undefined, ...types].map((accept) => ({ route: path, path: place, query: {}, accept })),
      ...[...single, ...needed].map((query) => ({ route: path, path: place, query, accept: undefined })),
    ])
  })
}

type Who = 'anon' | 'other'
/** What is measured of the process says nothing of records. */
const steady = (text: string) => text.replace(/^process_.*$/gm, '')

/** What counts things is kept for some seconds, so each time it is asked for at a later moment, which nothing else sees. */
const figures = ['/metrics/', '/']
let moments = 0
async function later<T>(work: () => Promise<T>): Promise<T> {
  const seconds = 60 * ++moments
  app.tick(seconds)
  return work().finally(() => app.tick(-seconds))
}

async function answers(who: Who): Promise<Map<string, string>> {
  const said = new Map<string, string>()
  /** Routes that are for people who are signed in, and tell others nothing else, whatever they ask. */
  const closed = new Set<string>()
  for (const { route, path, query, accept } of questions()) {
    if (closed.has(route)) continue
    const ask = () => app[who].get(path, { query, headers: accept ? { accept } : {} })
    const { status, text, headers } = await (figures.includes(path) ? later(ask) : ask())
    if (status === 401) closed.add(route)
    const at = `${path} ${JSON.stringify(query)} ${accept ?? ''}`
    said.set(at, `${status} ${headers.etag ?? ''} ${headers.vary ?? ''} ${steady(text)}`)
  }
  return said
}

const differences = (before: Map<string, string>, after: Map<string, string>) =>
  [...before].flatMap(([at, said]) => {
    const now = after.get(at) ?? ''
    if (now === said) return []
    const from = [...said].findIndex((each, i) => each !== now[i])
    return [
      `${at}: ...${said.slice(Math.max(0, from - 60), from + 60)}... is ...${now.slice(Math.max(0, from - 60), from + 60)}...`,
    ]
  })

/** Whatever can happen to what nobody but insiders may see. */
async function stirHidden() {
  const path = (it: { kind: string; id: number | string }) => `/cidoc/${it.kind}/${it.id}/`
  sure(200, await app.contributor.patch(path(hidden.pending), { body: { name: 'Renamed deity', note: 'place' } }))
  sure(200, await app.contributor.patch(path(hidden.stub), { body: { name: 'Renamed place' } }))
  sure(200, await app.staff.post(`${path(hidden.deleted)}restore/`))
  sure(204, await app.staff.delete(path(hidden.deleted)))
  // An edit that waits behind a published record, with a flag and a claim about it; and one that was refused.
  const temple = `/cidoc/structures/${open.structure.id}/`
  sure(200, await app.contributor.patch(temple, { body: { note: 'Refused', dedicated_to: 'Refused deity' } }))
  sure(201, await decide(app.curator, open.structure, { verdict: 'reject', feedback: 'No.' }))
  sure(200, await app.contributor.patch(temple, { body: { note: 'Waits', has_current_location: 'Open place' } }))
  await claim(app.contributor, {
    entity_type: 'structure',
    entity_id: open.structure.id,
    property: 'note',
    value: 'Another note about place',
  })
  const raised = { entity: open.structure.cultural_entity_id, flag_type: 'other', reason: 'place' }
  sure(201, await app.community.post('/data/review-flags/', { body: raised }))
  // New records that name public ones, and are like them.
  await contribute(app.contributor, 'structures', { name: 'Open temple', has_current_location: open.place.id })
  await contribute(app.contributor, 'locations', { name: 'Stub place of others', coordinates: '27.6722, 85.4279' })
  const refused = await contribute(app.contributor, 'deities', { name: 'Open deity' })
  sure(201, await decide(app.curator, refused, { verdict: 'reject', feedback: 'No.' }))
  const gone = await contribute(app.contributor, 'events', { name: 'Gone event', took_place_at: open.place.id })
  sure(204, await app.contributor.delete(`/cidoc/events/${gone.id}/`))
  // What was public for a while, with claims, flags and words about it.
  const passed = { name: 'Passing temple', note: 'place', has_current_location: open.place.id }
  await passing(await publish(app, 'structures', passed))
}

async function passing(it: Made) {
  const about = { entity_type: 'structure', entity_id: it.id, property: 'note', value: 'Another note about place' }
  await claim(app.other, about)
  sure(
    201,
    await app.other.post('/data/review-flags/', { body: { entity: it.cultural_entity_id, flag_type: 'other' } }),
  )
  // One's own words stay one's own.
  sure(
    201,
    await app.contributor.post(`/data/entities/${it.cultural_entity_id}/comments/`, { body: { comment: 'place' } }),
  )
  sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
}

/** What is hidden from those who are not signed in, and from nobody else. */
async function stirRestricted() {
  const deity = await idOf('deities', 'Restricted deity')
  await change('deities', deity, { name: 'Renamed deity', note: 'place' })
  const secret = { name: 'Secret survey of place', citation: 'temple' }
  sure(200, await app.contributor.patch(`/cidoc/data_sources/${hidden.source.id}/`, { body: secret }))
  const more = { name: 'Restricted temple', access_tier: 'restricted', has_current_location: open.place.id }
  const temple = await publish(app, 'structures', more)
  const about = { entity_type: 'structure', entity_id: temple.id, property: 'note', value: 'A disputed note' }
  const { id } = await claim(app.other, about)
  sure(200, await app.curator.patch(`/cidoc/assertions/${id}/`, { body: { reconciliation_status: 'disputed' } }))
}

/** What anybody is answered between the two tests: the second begins with what the first has ended with. */
let between: Map<string, string> | undefined

test('nobody is told of what is pending, refused, deleted or waits behind what is public', async () => {
  const before = { anon: await answers('anon'), other: await answers('other') }
  await stirHidden()
  await following.settled()
  const after = { anon: await answers('anon'), other: await answers('other') }
  between = after.anon
  expect(differences(before.anon, after.anon)).toEqual([])
  expect(differences(before.other, after.other)).toEqual([])
}, 300_000)

test('nobody who is not signed in is told of what is for those who are', async () => {
  const before = between ?? (await answers('anon'))
  await stirRestricted()
  await following.settled()
  expect(differences(before, await answers('anon'))).toEqual([])
}, 300_000)

test('the words of a contributor stand where the thing may not be seen, and its id nowhere', async () => {
  const temple = sure(200, await app.anon.get(`/cidoc/structures/${open.structure.id}/`))
  const rite = sure(200, await app.anon.get(`/cidoc/events/${open.event.id}/`))
  expect(temple).toMatchObject({ has_current_location: null, source: null })
  expect(temple.dedicated_to).toEqual([
    { id: null, name: 'Waiting deity' },
    { id: open.deity.id, name: 'Open deity' },
  ])
  expect(rite).toMatchObject({ took_place_at: { id: null, name: 'Stub place' } })
})
