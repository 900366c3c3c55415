import { beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import type { routes as account } from '../../functions/account.ts'
import type { routes as assertions } from '../../functions/assertions.ts'
import type { routes as assets } from '../../functions/assets.ts'
import type { routes as assistant } from '../../functions/assistant.ts'
import type { routes as calendars } from '../../functions/calendars.ts'
import type { routes as changes } from '../../functions/changes.ts'
import type { routes as clusters } from '../../functions/clusters.ts'
import type { routes as comments } from '../../functions/comments.ts'
import type { routes as documents } from '../../functions/documents.ts'
import type { routes as entities } from '../../functions/entities.ts'
import type { routes as exports } from '../../functions/exports.ts'
import type { routes as flags } from '../../functions/flags.ts'
import type { routes as health } from '../../functions/health.ts'
import type { routes as hooks } from '../../functions/hooks.ts'
import type { routes as iiif } from '../../functions/iiif.ts'
import type { routes as imports } from '../../functions/imports.ts'
import type { routes as leaderboard } from '../../functions/leaderboard.ts'
import type { routes as mcp } from '../../functions/mcp.ts'
import type { routes as notifications } from '../../functions/notifications.ts'
import type { routes as oai } from '../../functions/oai.ts'
import type { routes as pictures } from '../../functions/pictures.ts'
import type { routes as profileImages } from '../../functions/profile-images.ts'
import type { routes as projects } from '../../functions/projects.ts'
import type { routes as queue } from '../../functions/queue.ts'
import type { routes as reconcile } from '../../functions/reconcile.ts'
import type { routes as records } from '../../functions/records.ts'
import type { routes as registry } from '../../functions/registry.ts'
import type { routes as reviews } from '../../functions/reviews.ts'
import type { routes as revisions } from '../../functions/revisions.ts'
import type { routes as roles } from '../../functions/roles.ts'
import type { routes as scans } from '../../functions/scans.ts'
import type { routes as search } from '../../functions/search.ts'
import type { routes as sources } from '../../functions/sources.ts'
import type { routes as submissions } from '../../functions/submissions.ts'
import type { routes as tokens } from '../../functions/tokens.ts'
import type { routes as users } from '../../functions/users.ts'
import type { routes as watches } from '../../functions/watches.ts'
import { type Rank, ranks } from '../../lib/platform/permissions.ts'
import { type App, openApp } from '../harness/app.ts'
import { fileOf, form } from '../harness/asset-world.ts'
import { contribute, lookAlikes, publish, submit, sure } from '../harness/make.ts'
import { mp3, photographs } from '../harness/media-files.ts'
import { projectIn } from '../harness/projects.ts'

/** Every route by every persona. A route without a row does not compile, and a group that is not named here fails. */
type Groups = {
  account: typeof account
  assertions: typeof assertions
  assets: typeof assets
  assistant: typeof assistant
  changes: typeof changes
  clusters: typeof clusters
  documents: typeof documents
  comments: typeof comments
  entities: typeof entities
  exports: typeof exports
  flags: typeof flags
  health: typeof health
  hooks: typeof hooks
  imports: typeof imports
  leaderboard: typeof leaderboard
  mcp: typeof mcp
  notifications: typeof notifications
  oai: typeof oai
  pictures: typeof pictures
  iiif: typeof iiif
  'profile-images': typeof profileImages
  projects: typeof projects
  queue: typeof queue
  reconcile: typeof reconcile
  records: typeof records
  calendars: typeof calendars
  registry: typeof registry
  reviews: typeof reviews
  revisions: typeof revisions
  roles: typeof roles
  scans: typeof scans
  search: typeof search
  sources: typeof sources
  submissions: typeof submissions
  tokens: typeof tokens
  users: typeof users
  watches: typeof watches
}
type Matrix = { [G in keyof Groups]: Record<keyof Groups[G], readonly Case[]> }

type Place = { path: string; body?: unknown; query?: Record<string, string | number> }
type Case = { place: () => Place | Promise<Place>; gives: readonly number[] }

const personas = ['anon', 'other', 'contributor', ...ranks, 'staff'] as const
let app: App
let me: string
let published: { id: number; cultural_entity_id: string }
let pending: typeof published
let claim: { id: string }
let source: { id: string }
let cluster: { id: string }
let pair: { id: string }
/** A hidden project of the contributor that waits for review. */
let asked: string
const sayings = { open: '', hidden: '' }
const files = { open: '', hidden: '' }
const revisionIds = { published: '', pending: '' }
beforeAll(async () => {
  app = await openApp({
    env: { RATE_PROJECTS: '1000/h', RATE_NOTES: '1000/h', RATE_NOTES_DAY: '1000/day', RATE_SCANS: '1000/day' },
  })
  me = (await app.contributor.get('/api/user/info')).body.id
  published = await publish(app, 'structures', { name: 'Published' })
  pending = await contribute(app.contributor, 'structures', { name: 'Pending' })
  for (const [name, it] of Object.entries({ published, pending })) {
    const { body } = await app.staff.get(`/data/cultural-entities/${it.cultural_entity_id}/`)
    Object.assign(revisionIds, { [name]: body.current_revision.revision_id })
  }
  const about = { entity_type: 'structure', entity_id: published.id }
  claim = sure(201, await app.other.post('/cidoc/assertions/', { body: { ...about, property: 'note', value: 'x' } }))
  source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Source' } }))
  const body = { canonical_label: 'Cluster', type_scope: 'structure' }
  cluster = sure(201, await app.community.post('/cidoc/entity-clusters/', { body }))
  pair = await lookAlikes(app)
  asked = await newRequest()
  const announced = { file_name: 'table.csv', size: 10 }
  table = sure(201, await app.contributor.post('/data/imports/uploads/', { body: announced })).import_id
  const coming = { file_name: 'north.png', size: 10 }
  picture = sure(201, await app.contributor.post('/data/pictures/uploads/', { body: coming })).id
  const photograph = (await photographs())['image/png']
  const named = async () => ({
    name: 'Pictured',
    images: [
      sure(201, await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(photograph, 'a.png') }) })),
    ],
  })
  const shows = ({
    cultural_entity_id: record,
    images,
  }: {
    cultural_entity_id: string
    images: { iiif: string }[]
  }) => ({
    record: `/data/manifests/records/${record}/`,
    image: images[0]?.iiif ?? '',
  })
  const [open, hidden] = [await named(), await named()]
  pictured.open = shows(await publish(app, 'structures', open))
  pictured.hidden = shows(await contribute(app.contributor, 'structures', hidden))
  await newProject('open-project', 'public')
  await newProject('hidden-project', 'private')
  Object.assign(sayings, { open: await saying('open-project'), hidden: await saying('hidden-project') })
  Object.assign(files, { open: await newAsset('open-project'), hidden: await newAsset('hidden-project') })
})

let table: string
let picture: string
/** A record of each sort with a picture, and what its image is called. */
const pictured = { open: { record: '', image: '' }, hidden: { record: '', image: '' } }
const ofTable = (rest = '') => `/data/imports/${table}/${rest}`
const changesTable = (ok: number) => by(401, 404, ok, 403, 403, 403, 403)

/** A note of a visitor. */
let notes = 0
const noted = (rest: string, gives: readonly number[], body?: object, sender: 'anon' | 'community' = 'anon'): Case => ({
  place: async () => {
    const left = { entity_name: 'Nyatapola', content: `Note ${++notes}` }
    const { id } = sure(201, await app[sender].post('/data/public-contributions/', { body: left }))
    return { path: `/data/public-contributions/${id}/${rest}`, body }
  },
  gives,
})

/** A fork of a published record of the contributor, by another contributor. */
const forked = (
  rest: string,
  gives: readonly number[],
  { by: author = 'other', tier, body }: { by?: 'other' | 'community'; tier?: string; body?: object | undefined } = {},
): Case => ({
  place: async () => {
    const it = await publish(app, 'structures', { name: 'Forked', ...(tier && { access_tier: tier }) })
    const { id } = sure(201, await app[author].post('/data/forks/', { body: { entity_id: it.cultural_entity_id } }))
    return {
      path: rest.startsWith('/')
        ? rest.replace('ENTITY', it.cultural_entity_id).replace('FORK', id)
        : `/data/forks/${id}/${rest}`,
      body,
    }
  },
  gives,
})
const judged = (verb: string, body?: object): Case[] => [
  forked(`${verb}/`, reviewers(200), { body }),
  // A fork of one's own.
  forked(`${verb}/`, by(401, 403, 403, 403, 200, 200, 200), { by: 'community', body }),
]

/** A draft of the contributor that the schema should grow. */
const proposed = (rest: string, gives: readonly number[], body?: object): Case => ({
  place: async () => {
    const draft = { title: 'Add Dharmashala', proposed_yaml: 'classes: {}' }
    const { id } = sure(201, await app.contributor.post('/data/schema-extension-proposals/', { body: draft }))
    return { path: `/data/schema-extension-proposals/${id}/${rest}`, body }
  },
  gives,
})

/** A draft of the contributor that something exists, and one that two records have a relationship. */
const thing = (rest: string, gives: readonly number[], body?: object): Case => ({
  place: async () => {
    const draft = { canonical_label: `Thing ${++made}`, type_scope: 'structure' }
    const { id } = sure(201, await app.contributor.post('/data/entity-proposals/', { body: draft }))
    return { path: `/data/entity-proposals/${id}/${rest}`, body }
  },
  gives,
})
const relationship = (rest: string, gives: readonly number[], body?: object): Case => ({
  place: async () => {
    const draft = {
      predicate: 'near',
      ...{ subject_entity_type: 'structure', subject_entity_id: (await fresh()).id },
      ...{ object_entity_type: 'structure', object_entity_id: published.id },
    }
    const { id } = sure(201, await app.contributor.post('/data/relationship-proposals/', { body: draft }))
    return { path: `/data/relationship-proposals/${id}/${rest}`, body }
  },
  gives,
})

/** A scanned document of the contributor, and a file in parts. */
const scanned = (rest: string, gives: readonly number[], body?: object): Case => ({
  place: async () => {
    const file = fileOf((await photographs())['image/png'], 'page.png')
    const sent = { body: form({ file, standalone_ingestion: 'true' }) }
    const { uploaded_document_id } = sure(201, await app.contributor.post('/data/ocr-documents/upload/', sent))
    return { path: `/data/ocr-documents/${uploaded_document_id}/${rest}`, body }
  },
  gives,
})
const parted = (rest: string, gives: readonly number[], body?: () => unknown): Case => ({
  place: async () => {
    const announced = { filename: 'page.png', byte_size: 64 }
    const { id } = sure(201, await app.contributor.post('/data/ocr-chunk-uploads/', { body: announced }))
    return { path: `/data/ocr-chunk-uploads/${id}/${rest}`, body: body?.() }
  },
  gives,
})

/** An organization that the contributor owns. */
let organizations = 0
const guthi = (rest: (ids: { other: string }) => string, gives: readonly number[], body?: object): Case => ({
  place: async () => {
    const named = { name: `Guthi ${++organizations}` }
    const { id } = sure(201, await app.contributor.post('/data/organizations/', { body: named }))
    const { id: other } = (await app.other.get('/api/user/info')).body
    sure(201, await app.other.post(`/data/organizations/${id}/join/`))
    return { path: `/data/organizations/${id}/${rest({ other })}`, body }
  },
  gives,
})

/** The link that the contributor gets in a letter, for whoever has it. */
const link = (what: 'stop' | 'confirm', body?: object): Case => ({
  place: async () => ({ path: await letterLink(what), ...(body && { body }) }),
  gives: all(200),
})
async function letterLink(what: 'stop' | 'confirm'): Promise<string> {
  const { confirmLink, stopLink } = await import('../../lib/doors/letters/links.ts')
  const { pathname, search } = new URL(
    what === 'stop' ? stopLink('http://localhost', me) : confirmLink('http://localhost', me, 'dev@heritage.test'),
  )
  return pathname + search
}

/** The contributor's watch of all structures, begun if it is not there. */
let cited: string | undefined
/** The path of a citation of everything that a kind lists. */
async function citationPath(): Promise<string> {
  cited ??= sure(201, await app.other.post('/data/citations/', { body: { of: '/cidoc/structures/' } })).id
  return `/data/citations/${cited}/`
}

async function watchOfContributor(): Promise<{ id: string; feed_url: string; stop_url: string }> {
  const [found] = sure(200, await app.contributor.get('/data/watches/')).results
  return (
    found ?? sure(201, await app.contributor.post('/data/watches/', { body: { what: 'kind', about: 'structure' } }))
  )
}
async function watchLink(which: 'feed_url' | 'stop_url'): Promise<string> {
  const { pathname, search } = new URL((await watchOfContributor())[which])
  return pathname + search
}

const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
let made = 0
const fresh = () => contribute(app.contributor, 'structures', { name: `Fresh ${++made}` })
const freshPublished = () => publish(app, 'structures', { name: `Fresh ${++made}` })
const freshDeleted = async () => {
  const it = await freshPublished()
  sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
  return it
}

/** One case at a place that stays what it is. */
const at = (path: () => string, gives: readonly number[], sent: Omit<Place, 'path'> = {}): Case[] => [
  { place: () => ({ path: path(), ...sent }), gives },
]
/** A place that is made, because the request changes it. */
const anew = (
  make: () => Promise<typeof published>,
  path: (it: typeof published) => string,
  gives: readonly number[],
  body?: object,
): Case => ({
  place: async () => ({ path: path(await make()), body }),
  gives,
})
const newRequest = async (): Promise<string> => {
  const slug = await projectIn(app, 'in_review', [await fresh()])
  return sure(200, await app.contributor.get(`/data/projects/${slug}/`)).id
}
/** A project that waits for review. */
const sentIn = (verb: string, gives: readonly number[]): Case => ({
  place: async () => ({ path: `/merge-requests/${await newRequest()}/${verb}/`, body: { reviewer_note: 'Seen.' } }),
  gives,
})
/** A hook of the contributor's. The hook that was made before is taken away. */
const ownHook = (rest: string, gives: readonly number[]): Case[] => [
  {
    place: async () => {
      const { results } = sure(200, await app.contributor.get('/api/user/hooks/'))
      for (const { id } of results) await app.contributor.delete(`/api/user/hooks/${id}/`)
      const { id } = sure(
        201,
        await app.contributor.post('/api/user/hooks/', { body: { url: 'https://example.org/' } }),
      )
      return { path: `/api/user/hooks/${id}/${rest}` }
    },
    gives,
  },
]
const all = (status: number) => personas.map(() => status)
const signedIn = (status: number) => personas.map((who) => (who === 'anon' ? 401 : status))
/** anon, any other contributor, the contributor, reviewers of each rank, staff. */
const by = (
  anon: number,
  other: number,
  contributor: number,
  community: number,
  domain: number,
  curator: number,
  staff: number,
) => {
  // A new rank gets what the rank below it gets, unless its rows say otherwise. Then it needs a parameter of its own.
  const ranked: Record<Rank, number> = {
    community_reviewer: community,
    domain_expert: domain,
    expert_curator: curator,
  }
  return [anon, other, contributor, ...ranks.map((rank) => ranked[rank]), staff]
}
const inspectsHidden = by(404, 404, 200, 200, 200, 200, 200)
const readsHidden = by(404, 404, 200, 404, 404, 404, 200)
const changesHidden = (ok: number) => by(401, 404, ok, 404, 404, 404, ok)
const changesOpen = (ok: number) => by(401, 403, ok, 403, 403, 403, ok)
const staffOnly = (ok: number) => by(401, 403, 403, 403, 403, 403, ok)
const reviewers = (ok: number) => by(401, 403, 403, ok, ok, ok, ok)
const curators = (ok: number) => by(401, 403, 403, 403, 403, ok, ok)

const record = (it: { id: number }) => `/cidoc/structures/${it.id}/`
const entity = (it: { cultural_entity_id: string }) => `/data/cultural-entities/${it.cultural_entity_id}/`
const queued = (it: { cultural_entity_id: string }) => `/data/review-queue/${it.cultural_entity_id}/`
const note = { note: 'n' }
const flagOn = (it: typeof published) => ({ entity: it.cultural_entity_id, flag_type: 'other' })
/** A flag that a stranger to the record has raised on it. */
const flagged = (
  make: () => Promise<typeof published>,
  path: (id: string) => string,
  gives: readonly number[],
  body?: object,
): Case => ({
  place: async () => {
    const it = sure(201, await app.community.post('/data/review-flags/', { body: flagOn(await make()) }))
    return { path: path(it.id), body }
  },
  gives,
})
const flagAt = (id: string) => `/data/review-flags/${id}/`
const settlesFlags = (hidden: 403 | 404, ok: number) => by(401, hidden, 403, ok, ok, ok, ok)
const whole = { name: 'Whole' }

/** A comment that the contributor has made. */
const remarked = (
  make: () => Promise<typeof published>,
  path: (it: { id: number }, entity: string) => string,
  gives: readonly number[],
  body?: object,
): Case => ({
  place: async () => {
    const { cultural_entity_id } = await make()
    const it = sure(201, await app.contributor.post(thread(cultural_entity_id), { body: said }))
    return { path: path(it, cultural_entity_id), body }
  },
  gives,
})
const thread = (entity_id: string) => `/data/entities/${entity_id}/comments/`
const inThread = ({ id }: { id: number }, entity_id: string) => `${thread(entity_id)}${id}/`
const flatly = ({ id }: { id: number }) => `/data/comments/${id}/`
const said = { comment: 'Said' }

const newProject = async (slug: string, visibility: string) => {
  const body = { slug, visibility, title: slug }
  const reply = await app.contributor.post('/data/projects/', { body })
  return sure(201, reply).slug
}
const inOpen = (rest: string) => `/data/projects/open-project/${rest}`
const inHidden = (rest: string) => `/data/projects/hidden-project/${rest}`
const readsProject = (rest: string, anon: number, ok: number) => [
  ...at(() => inOpen(rest), by(anon, ok, ok, ok, ok, ok, ok)),
  ...at(() => inHidden(rest), by(anon === 401 ? 401 : 404, 404, ok, 404, 404, 404, ok)),
]
const editsProject = (rest: string, ok: number, body: object = {}) => [
  ...at(() => inOpen(rest), changesOpen(ok), { body }),
  ...at(() => inHidden(rest), changesHidden(ok), { body }),
]
const newAsset = async (slug: string) => {
  const body = new FormData()
  body.set('file', new File([Uint8Array.from(mp3())], 'a.mp3'))
  return sure(201, await app.contributor.post(`/data/projects/${slug}/assets/upload/`, { body })).id
}
const readsAsset = (ok: number) => [
  ...at(() => inOpen(`assets/${files.open}/`), by(401, ok, ok, ok, ok, ok, ok)),
  ...at(() => inHidden(`assets/${files.hidden}/`), by(401, 404, ok, 404, 404, 404, ok)),
]
const changesAsset = (rest: string, ok: number, body: object = {}) => [
  ...at(() => inOpen(`assets/${files.open}/${rest}`), changesOpen(ok), { body }),
  ...at(() => inHidden(`assets/${files.hidden}/${rest}`), changesHidden(ok), { body }),
]
const saying = async (slug: string) =>
  sure(201, await app.contributor.post(`/data/projects/${slug}/comments/`, { body: { comment: 'x' } })).comment_id
const readsSaying = (rest: string, anon: number, ok: number) => [
  ...at(() => inOpen(`comments/${sayings.open}/${rest}`), by(anon, ok, ok, ok, ok, ok, ok)),
  ...at(() => inHidden(`comments/${sayings.hidden}/${rest}`), by(anon, 404, ok, 404, 404, 404, ok)),
]
const changesSaying = (ok: number) => [
  ...at(() => inOpen(`comments/${sayings.open}/`), changesOpen(ok), { body: {} }),
  ...at(() => inHidden(`comments/${sayings.hidden}/`), changesHidden(ok), { body: {} }),
]

/** A suggestion that the other contributor has made on a submission of the contributor. */
const suggested = (path: (id: number) => string, gives: readonly number[]): Case => ({
  place: async () => {
    const body = { submission: (await submit('dev')).id, title: 'T', description: 'D' }
    return { path: path(sure(201, await app.other.post('/data/submission-suggestions/', { body })).id) }
  },
  gives,
})
const submitted = (path: (id: string) => string, status?: 'accepted', body?: object) => async (): Promise<Place> => ({
  path: path((await submit('dev', { status })).submission_id),
  body,
})
const openAndClosed = (path: (id: string) => string): Case[] => [
  { place: submitted(path, 'accepted'), gives: all(200) },
  { place: submitted(path), gives: by(404, 200, 200, 200, 200, 200, 200) },
]

/** The latest activity on a record. */
const activityOf = async (it: typeof published) => {
  const { results } = (await app.staff.get(`/data/activities/?entity=${it.cultural_entity_id}`)).body
  return `/data/activities/${results[0].activity_id}/`
}

const matrix: Matrix = {
  submissions: {
    'GET /data/public-contributions/': at(() => '/data/public-contributions/', signedIn(200)),
    'POST /data/public-contributions/': at(() => '/data/public-contributions/', all(400), { body: {} }),
    'GET /data/public-contributions/stats/': at(() => '/data/public-contributions/stats/', reviewers(200)),
    'GET /data/public-contributions/{id}/': [noted('', signedIn(200))],
    'POST /data/public-contributions/{id}/review/': [
      noted('review/', reviewers(200), { status: 'approved' }),
      // A note of one's own.
      noted('review/', by(401, 403, 403, 403, 200, 200, 200), { status: 'approved' }, 'community'),
    ],
    'GET /data/forks/': at(() => `/data/forks/?entity_id=${published.cultural_entity_id}`, all(200)),
    'POST /data/forks/': [
      {
        place: () => ({ path: '/data/forks/', body: { entity_id: published.cultural_entity_id } }),
        gives: signedIn(201),
      },
      {
        place: () => ({ path: '/data/forks/', body: { entity_id: pending.cultural_entity_id } }),
        gives: by(401, 404, 201, 404, 404, 404, 201),
      },
    ],
    'GET /data/forks/{id}/': [
      forked('', all(200)),
      forked('', by(404, 200, 200, 200, 200, 200, 200), { tier: 'restricted' }),
    ],
    'POST /data/forks/{id}/merge/': judged('merge'),
    'POST /data/forks/{id}/promote/': judged('promote'),
    'POST /data/forks/{id}/reject/': judged('reject', { reason: 'No source.' }),
    'GET /data/submissions/': at(() => '/data/submissions/', signedIn(200)),
    'GET /data/submissions/ids/': at(() => '/data/submissions/ids', all(200)),
    'GET /data/submissions/{id}/': openAndClosed((id) => `/data/submissions/${id}/`),
    'GET /data/submissions/{id}/versions/': openAndClosed((id) => `/data/submissions/${id}/versions/`),
    'GET /data/submissions/{id}/versions/{version}/': openAndClosed((id) => `/data/submissions/${id}/versions/1/`),
    'GET /data/submissions/{id}/edit-suggestions/': openAndClosed((id) => `/data/submissions/${id}/edit-suggestions`),
    'POST /data/submissions/': at(() => '/data/submissions/', all(410), { body: {} }),
    'POST /data/submissions/form-submit/': at(() => '/data/submissions/form-submit/', all(410), { body: {} }),
    'POST /data/form-submit/': at(() => '/data/form-submit/', all(410), { body: {} }),
    'PUT /data/submissions/{id}/': at(() => '/data/submissions/1/', all(410), { body: {} }),
    'PATCH /data/submissions/{id}/': at(() => '/data/submissions/1/', all(410), { body: {} }),
    'DELETE /data/submissions/{id}/': at(() => '/data/submissions/1/', all(410)),
    'GET /data/submission-suggestions/': at(() => '/data/submission-suggestions/', signedIn(200)),
    'POST /data/submission-suggestions/': [
      { place: submitted(() => '/data/submission-suggestions/', undefined, {}), gives: signedIn(400) },
    ],
    'GET /data/submission-suggestions/{id}/': [
      suggested((id) => `/data/submission-suggestions/${id}/`, by(401, 200, 200, 200, 200, 200, 200)),
    ],
    'POST /data/submission-suggestions/{id}/approve/': [
      suggested((id) => `/data/submission-suggestions/${id}/approve/`, reviewers(200)),
    ],
    'POST /data/submission-suggestions/{id}/reject/': [
      suggested((id) => `/data/submission-suggestions/${id}/reject/`, reviewers(200)),
    ],
    'GET /data/moderations/{id}/': [{ place: submitted((id) => `/data/moderations/${id}/`), gives: staffOnly(200) }],
    'PUT /data/moderations/{id}/': [
      { place: submitted((id) => `/data/moderations/${id}/`, undefined, { status: 'review' }), gives: staffOnly(200) },
    ],
    'PATCH /data/moderations/{id}/': [
      { place: submitted((id) => `/data/moderations/${id}/`, undefined, {}), gives: staffOnly(200) },
    ],
  },

  comments: {
    'GET /data/reactions/summary/': [
      ...at(() => `/data/reactions/summary/?entity_id=${published.cultural_entity_id}`, all(200)),
      ...at(
        () => `/data/reactions/summary/?entity_id=${pending.cultural_entity_id}`,
        by(400, 400, 200, 200, 200, 200, 200),
      ),
    ],
    'POST /data/reactions/toggle/': [
      {
        place: async () => ({
          path: '/data/reactions/toggle/',
          body: { reaction_type: 'upvote', entity_id: (await freshPublished()).cultural_entity_id },
        }),
        gives: signedIn(201),
      },
    ],
    'GET /data/entities/{entity_id}/comments/': [
      ...at(() => thread(published.cultural_entity_id), all(200)),
      ...at(() => thread(pending.cultural_entity_id), inspectsHidden),
    ],
    'POST /data/entities/{entity_id}/comments/': [
      ...at(() => thread(published.cultural_entity_id), signedIn(201), { body: said }),
      ...at(() => thread(pending.cultural_entity_id), by(401, 404, 201, 201, 201, 201, 201), { body: said }),
      anew(freshDeleted, (it) => thread(it.cultural_entity_id), by(401, 404, 404, 404, 404, 404, 403), said),
    ],
    'GET /data/entities/{entity_id}/comments/{id}/': [
      remarked(freshPublished, inThread, all(200)),
      remarked(fresh, inThread, inspectsHidden),
    ],
    'GET /data/entities/{entity_id}/comments/{id}/replies/': [
      remarked(freshPublished, (...it) => `${inThread(...it)}replies/`, all(200)),
      remarked(fresh, (...it) => `${inThread(...it)}replies/`, inspectsHidden),
    ],
    'PUT /data/entities/{entity_id}/comments/{id}/': [remarked(freshPublished, inThread, changesOpen(200), said)],
    'PATCH /data/entities/{entity_id}/comments/{id}/': [
      remarked(freshPublished, inThread, changesOpen(200), said),
      remarked(fresh, inThread, by(401, 404, 200, 403, 403, 403, 200), said),
    ],
    'DELETE /data/entities/{entity_id}/comments/{id}/': [
      remarked(freshPublished, inThread, changesOpen(204)),
      remarked(fresh, inThread, by(401, 404, 204, 403, 403, 403, 204)),
    ],
    'POST /data/shares/': at(() => '/data/shares/', all(400), { body: {} }),
    'GET /data/shares/count/': [
      ...at(() => `/data/shares/count/?entity_id=${published.cultural_entity_id}`, all(200)),
      ...at(() => `/data/shares/count/?entity_id=${pending.cultural_entity_id}`, readsHidden),
    ],
    'GET /data/comments/': at(() => `/data/comments/?user_id=${me}`, all(200)),
    'POST /data/comments/': [
      ...at(() => '/data/comments/', signedIn(400), { body: said }),
      {
        place: () => ({ path: '/data/comments/', body: { ...said, submission: pending.cultural_entity_id } }),
        gives: by(401, 400, 201, 201, 201, 201, 201),
      },
    ],
    'GET /data/comments/{id}/': [remarked(freshPublished, flatly, all(200)), remarked(fresh, flatly, inspectsHidden)],
    'PUT /data/comments/{id}/': [remarked(freshPublished, flatly, changesOpen(200), said)],
    'PATCH /data/comments/{id}/': [
      remarked(freshPublished, flatly, changesOpen(200), said),
      remarked(fresh, flatly, by(401, 404, 200, 403, 403, 403, 200), said),
    ],
    'DELETE /data/comments/{id}/': [
      remarked(freshPublished, flatly, changesOpen(204)),
      remarked(fresh, flatly, by(401, 404, 204, 403, 403, 403, 204)),
    ],
  },

  records: {
    'GET /cidoc/{segment}/': at(() => '/cidoc/structures/', all(200)),
    'GET /cidoc/context.jsonld/': at(() => '/cidoc/context.jsonld', all(200)),
    'GET /ogc/': at(() => '/ogc', all(200)),
    'GET /ogc/api/': at(() => '/ogc/api', all(200)),
    'GET /ogc/conformance/': at(() => '/ogc/conformance', all(200)),
    'GET /ogc/collections/': at(() => '/ogc/collections', all(200)),
    'GET /ogc/collections/{collection}/': at(() => '/ogc/collections/structures', all(200)),
    'GET /ogc/collections/{collection}/items/': at(() => '/ogc/collections/structures/items', all(200)),
    'GET /ogc/collections/{collection}/items/{id}/': [
      ...at(() => `/ogc/collections/structures/items/${published.id}`, all(200)),
      ...at(() => `/ogc/collections/structures/items/${pending.id}`, all(404)),
    ],
    'GET /cidoc/related/': [
      { place: () => ({ path: '/cidoc/related/', query: { domain: 'structure', id: published.id } }), gives: all(200) },
      {
        place: () => ({ path: '/cidoc/related/', query: { domain: 'structure', id: pending.id } }),
        gives: readsHidden,
      },
    ],
    'POST /cidoc/assist/read-date/': at(() => '/cidoc/assist/read-date/', signedIn(200), { body: { text: 'BS 2081' } }),
    'POST /cidoc/assist/suggest-field/': at(() => '/cidoc/assist/suggest-field/', signedIn(200), {
      body: { ontology_class: 'structure', field_key: 'note' },
    }),
    'POST /cidoc/{segment}/': at(() => '/cidoc/traditions/', signedIn(201), { body: whole }),
    'GET /cidoc/{segment}/{id}/': [...at(() => record(published), all(200)), ...at(() => record(pending), readsHidden)],
    'GET /cidoc/{segment}/{id}/history/': [
      ...at(() => `${record(published)}history/`, all(200)),
      ...at(() => `${record(pending)}history/`, inspectsHidden),
    ],
    'GET /resource/': at(() => '/resource/', all(200)),
    'GET /resource/{kind}/{number}/': [
      ...at(() => `/resource/structure/${published.id}`, all(200)),
      ...at(() => `/resource/structure/${pending.id}`, readsHidden),
    ],
    'GET /resource/{kind}/{number}/timemap/': [
      ...at(() => `/resource/structure/${published.id}/timemap/`, all(200)),
      ...at(() => `/resource/structure/${pending.id}/timemap/`, readsHidden),
    ],
    'PUT /cidoc/{segment}/{id}/': [
      anew(fresh, record, changesHidden(200), whole),
      anew(freshPublished, record, changesOpen(200), whole),
    ],
    'PATCH /cidoc/{segment}/{id}/': [
      anew(fresh, record, changesHidden(200), note),
      anew(freshPublished, record, changesOpen(200), note),
    ],
    'DELETE /cidoc/{segment}/{id}/': [
      anew(fresh, record, changesHidden(204)),
      anew(freshPublished, record, staffOnly(204)),
    ],
    'POST /cidoc/{segment}/{id}/restore/': [
      anew(freshDeleted, (it) => `${record(it)}restore/`, by(401, 404, 404, 404, 404, 404, 200)),
      ...at(() => `${record(published)}restore/`, staffOnly(409)),
    ],
  },

  entities: {
    'GET /data/cultural-entities/': at(() => '/data/cultural-entities/', all(200)),
    'POST /data/cultural-entities/': at(() => '/data/cultural-entities/', signedIn(201), {
      body: { name: 'E', category: 'other', description: 'd' },
    }),
    'GET /data/cultural-entities/my_contributions/': at(
      () => '/data/cultural-entities/my_contributions/',
      signedIn(200),
    ),
    'GET /data/cultural-entities/{entity_id}/': [
      ...at(() => entity(published), all(200)),
      ...at(() => entity(pending), readsHidden),
    ],
    'PUT /data/cultural-entities/{entity_id}/': [
      anew(fresh, entity, changesHidden(200), whole),
      anew(freshPublished, entity, changesOpen(200), whole),
    ],
    'PATCH /data/cultural-entities/{entity_id}/': [
      anew(fresh, entity, changesHidden(200), note),
      anew(freshPublished, entity, changesOpen(200), note),
    ],
    'DELETE /data/cultural-entities/{entity_id}/': [
      anew(fresh, entity, changesHidden(204)),
      anew(freshPublished, entity, staffOnly(204)),
    ],
    'POST /data/cultural-entities/{entity_id}/create_revision/': [
      anew(fresh, (it) => `${entity(it)}create_revision/`, changesHidden(201), note),
      // Of what is published changes are sent to its own address.
      anew(freshPublished, (it) => `${entity(it)}create_revision/`, changesOpen(400), note),
    ],
    'POST /data/cultural-entities/{entity_id}/restore/': [
      anew(freshDeleted, (it) => `${entity(it)}restore/`, by(401, 404, 404, 404, 404, 404, 200)),
      ...at(() => `${entity(published)}restore/`, staffOnly(409)),
    ],
    'GET /data/cultural-entities/{entity_id}/lineage/': [
      ...at(() => `${entity(published)}lineage/`, all(200)),
      ...at(() => `${entity(pending)}lineage/`, by(404, 404, 200, 200, 200, 200, 200)),
    ],
    'GET /data/cultural-entities/{entity_id}/child-forks/': [
      ...at(() => `${entity(published)}child-forks/`, all(200)),
      ...at(() => `${entity(pending)}child-forks/`, by(404, 404, 200, 200, 200, 200, 200)),
    ],
    'GET /data/cultural-entities/{entity_id}/fork-diff/{fork_entity_id}/': [
      forked('/data/cultural-entities/ENTITY/fork-diff/FORK/', all(200)),
      forked('/data/cultural-entities/ENTITY/fork-diff/FORK/', by(404, 200, 200, 200, 200, 200, 200), {
        tier: 'restricted',
      }),
    ],
    // Nothing is a draft yet, so who may submit is told that it is none.
    'POST /data/cultural-entities/{entity_id}/submit_for_review/': [
      ...at(() => `${entity(pending)}submit_for_review/`, changesHidden(400)),
      ...at(() => `${entity(published)}submit_for_review/`, changesOpen(400)),
    ],
  },

  search: {
    'GET /data/search/': at(() => '/data/search/', all(200), { query: { q: 'published' } }),
    'GET /data/search/suggest/': at(() => '/data/search/suggest/', all(200), { query: { q: 'published' } }),
    'GET /cidoc/search/': at(() => '/cidoc/search/', all(200), { query: { q: 'published' } }),
    'GET /cidoc/discovery/': at(() => '/cidoc/discovery/', all(200)),
    'POST /data/citations/': at(() => '/data/citations/', signedIn(400), { body: {} }),
    'GET /data/citations/{id}/': [{ place: async () => ({ path: await citationPath() }), gives: all(200) }],
    'GET /data/citations/{id}/difference/': [
      { place: async () => ({ path: `${await citationPath()}difference/` }), gives: all(200) },
    ],
  },

  assistant: {
    'POST /assistant/chat/': at(() => '/assistant/chat/', all(200), {
      body: { messages: [{ role: 'user', content: 'Published' }] },
    }),
  },

  queue: {
    'GET /data/review-queue/': at(() => '/data/review-queue/', reviewers(200)),
    'GET /data/review-queue/queue_counts/': at(() => '/data/review-queue/queue_counts/', reviewers(200)),
    'GET /data/review-queue/triage-policy/': at(() => '/data/review-queue/triage-policy/', reviewers(200)),
    'GET /data/review-queue/{entity_id}/': at(() => queued(pending), reviewers(200)),
    'POST /data/review-queue/{entity_id}/claim/': [anew(fresh, (it) => `${queued(it)}claim/`, reviewers(200))],
    'POST /data/review-queue/{entity_id}/release/': [anew(fresh, (it) => `${queued(it)}release/`, reviewers(200))],
    'GET /data/contribution-queue/': at(() => '/data/contribution-queue/', reviewers(200)),
    'GET /data/contribution-queue/queue-counts/': at(() => '/data/contribution-queue/queue-counts/', reviewers(200)),
    'GET /data/contribution-queue/{entity_id}/': at(
      () => `/data/contribution-queue/${pending.cultural_entity_id}/`,
      reviewers(200),
    ),
    'POST /data/contribution-queue/{entity_id}/moderate/': [
      anew(fresh, (it) => `/data/contribution-queue/${it.cultural_entity_id}/moderate/`, staffOnly(200), {
        action: 'accept',
      }),
    ],
  },

  reviews: {
    'GET /api/curator-alerts/': at(() => '/api/curator-alerts/', reviewers(200)),
    'GET /api/curator-alerts/{id}/': at(() => `/api/curator-alerts/${unknown}/`, reviewers(404)),
    'POST /api/curator-alerts/{id}/resolve/': at(() => `/api/curator-alerts/${unknown}/resolve/`, signedIn(404)),
    'POST /api/curator-alerts/{id}/ignore/': at(() => `/api/curator-alerts/${unknown}/ignore/`, signedIn(404)),
    'GET /api/reconciled-links/': at(() => '/api/reconciled-links/', all(200)),
    'POST /api/reconciled-links/': at(() => '/api/reconciled-links/', reviewers(400), {
      body: { entity_uri: unknown, target_uri: 'https://example.org/' },
    }),
    'PATCH /api/reconciled-links/{id}/': at(() => `/api/reconciled-links/${unknown}/`, signedIn(404), {
      body: { is_stale: true },
    }),
    'DELETE /api/reconciled-links/{id}/': at(() => `/api/reconciled-links/${unknown}/`, signedIn(404)),
    'GET /api/reconciled-links/{id}/': at(() => `/api/reconciled-links/${unknown}/`, all(404)),
    'POST /api/reconciled-links/{id}/mark-stale/': at(
      () => `/api/reconciled-links/${unknown}/mark-stale/`,
      signedIn(404),
    ),
    'POST /api/reconciled-links/{id}/update-target/': at(
      () => `/api/reconciled-links/${unknown}/update-target/`,
      signedIn(404),
      { body: { target_uri: 'https://example.org/' } },
    ),
    'GET /merge-requests/': at(() => '/merge-requests/', signedIn(200)),
    'POST /merge-requests/': at(() => '/merge-requests/', signedIn(400), {
      body: { project: unknown, summary: 'Ready' },
    }),
    'GET /merge-requests/validate/': at(() => '/merge-requests/validate/', signedIn(400), {
      query: { project_id: unknown },
    }),
    'GET /merge-requests/{id}/': at(() => `/merge-requests/${asked}/`, by(401, 404, 200, 200, 200, 200, 200)),
    'GET /merge-requests/{id}/rdf-diff/': at(
      () => `/merge-requests/${asked}/rdf-diff/`,
      by(401, 404, 200, 200, 200, 200, 200),
    ),
    'POST /merge-requests/{id}/approve/': [sentIn('approve', by(401, 404, 403, 200, 200, 200, 200))],
    'POST /merge-requests/{id}/reject/': [sentIn('reject', by(401, 404, 403, 200, 200, 200, 200))],
    'POST /merge-requests/{id}/request-changes/': [sentIn('request-changes', by(401, 404, 403, 200, 200, 200, 200))],
    'GET /data/review-workspace/{entity_id}/': [
      ...at(() => `/data/review-workspace/${published.cultural_entity_id}/`, reviewers(200)),
      ...at(() => `/data/review-workspace/${pending.cultural_entity_id}/`, reviewers(200)),
    ],
    'POST /data/review-workspace/{entity_id}/decide/': [
      anew(fresh, (it) => `/data/review-workspace/${it.cultural_entity_id}/decide/`, reviewers(201), {
        verdict: 'accept',
      }),
      anew(
        freshDeleted,
        (it) => `/data/review-workspace/${it.cultural_entity_id}/decide/`,
        by(401, 403, 403, 404, 404, 404, 409),
        { verdict: 'accept' },
      ),
    ],
    'GET /data/reviewer-dashboard/': at(() => '/data/reviewer-dashboard/', reviewers(200)),
    'GET /data/reviewer-dashboard/disagreements/': at(() => '/data/reviewer-dashboard/disagreements/', all(200)),
    'GET /data/review-decisions-profile/': at(() => `/data/review-decisions-profile/?reviewer=${me}`, all(200)),
  },

  revisions: {
    'GET /data/activities/': at(() => '/data/activities/', all(200)),
    'GET /data/activities/{id}/': [
      { place: async () => ({ path: await activityOf(published) }), gives: all(200) },
      { place: async () => ({ path: await activityOf(pending) }), gives: inspectsHidden },
    ],
    'GET /data/revisions/': [
      ...at(() => `/data/revisions/?entity=${published.cultural_entity_id}`, all(200)),
      ...at(() => `/data/revisions/?entity=${pending.cultural_entity_id}`, all(200)),
    ],
    'GET /data/revisions/{id}/': [
      ...at(() => `/data/revisions/${revisionIds.published}/`, all(200)),
      ...at(() => `/data/revisions/${revisionIds.pending}/`, inspectsHidden),
    ],
    'GET /data/revisions/{id}/entity_history/': [
      ...at(() => `/data/revisions/${revisionIds.published}/entity_history/`, all(200)),
      ...at(() => `/data/revisions/${revisionIds.pending}/entity_history/`, inspectsHidden),
    ],
    'GET /data/entities/{entity_id}/labels/': [
      { place: () => ({ path: `/data/entities/${published.cultural_entity_id}/labels/` }), gives: all(200) },
      { place: () => ({ path: `/data/entities/${pending.cultural_entity_id}/labels/` }), gives: inspectsHidden },
    ],
    'PUT /data/entities/{entity_id}/labels/': [
      {
        place: () => ({ path: `/data/entities/${published.cultural_entity_id}/labels/`, body: { labels: [] } }),
        gives: by(401, 403, 200, 200, 200, 200, 200),
      },
      {
        place: () => ({ path: `/data/entities/${pending.cultural_entity_id}/labels/`, body: { labels: [] } }),
        gives: by(401, 404, 200, 200, 200, 200, 200),
      },
    ],
    'GET /data/entities/{entity_id}/diff/': [
      ...at(() => `/data/entities/${published.cultural_entity_id}/diff/?from=1&to=1`, all(200)),
      ...at(() => `/data/entities/${pending.cultural_entity_id}/diff/?from=1&to=1`, inspectsHidden),
    ],
    'GET /data/entities/{entity_id}/explain/': [
      ...at(() => `/data/entities/${published.cultural_entity_id}/explain/`, all(200)),
      ...at(() => `/data/entities/${pending.cultural_entity_id}/explain/`, inspectsHidden),
    ],
    'GET /data/entities/{entity_id}/history/': [
      ...at(() => `/data/entities/${published.cultural_entity_id}/history/`, all(200)),
      ...at(() => `/data/entities/${pending.cultural_entity_id}/history/`, inspectsHidden),
    ],
  },

  assertions: {
    'GET /cidoc/assertions/': at(() => '/cidoc/assertions/', all(200)),
    'POST /cidoc/assertions/': at(() => '/cidoc/assertions/', signedIn(201), {
      body: { property: 'note', value: 'x' },
    }),
    'GET /cidoc/assertions/{id}/': at(() => `/cidoc/assertions/${claim.id}/`, by(404, 200, 404, 200, 200, 200, 200)),
    'PATCH /cidoc/assertions/{id}/': at(() => `/cidoc/assertions/${claim.id}/`, by(401, 403, 404, 200, 200, 200, 200), {
      body: { reconciliation_status: 'pending' },
    }),
    'GET /cidoc/relationship-predicates/': at(() => '/cidoc/relationship-predicates/', all(200)),
  },

  flags: {
    'GET /data/review-flags/': at(() => '/data/review-flags/', signedIn(200)),
    'POST /data/review-flags/': [
      {
        place: async () => ({ path: '/data/review-flags/', body: flagOn(await freshPublished()) }),
        gives: signedIn(201),
      },
      {
        place: async () => ({ path: '/data/review-flags/', body: flagOn(await fresh()) }),
        gives: by(401, 400, 201, 201, 201, 201, 201),
      },
    ],
    'GET /data/review-flags/{id}/': [
      flagged(freshPublished, flagAt, signedIn(200)),
      flagged(fresh, flagAt, by(401, 404, 200, 200, 200, 200, 200)),
    ],
    'PUT /data/review-flags/{id}/': [
      flagged(freshPublished, flagAt, settlesFlags(403, 200), { flag_type: 'other' }),
      flagged(fresh, flagAt, settlesFlags(404, 200), { flag_type: 'other' }),
    ],
    'PATCH /data/review-flags/{id}/': [
      flagged(freshPublished, flagAt, settlesFlags(403, 200), {}),
      flagged(fresh, flagAt, settlesFlags(404, 200), {}),
    ],
    'DELETE /data/review-flags/{id}/': [
      flagged(freshPublished, flagAt, settlesFlags(403, 204)),
      flagged(fresh, flagAt, settlesFlags(404, 204)),
    ],
    'POST /data/review-flags/{id}/resolve/': [
      flagged(freshPublished, (id) => `${flagAt(id)}resolve/`, settlesFlags(403, 200)),
      flagged(fresh, (id) => `${flagAt(id)}resolve/`, settlesFlags(404, 200)),
    ],
  },

  // Each asks for their own.
  notifications: {
    'GET /data/notifications/': at(() => '/data/notifications/', signedIn(200)),
    'GET /data/notifications/unread_count/': at(() => '/data/notifications/unread_count/', signedIn(200)),
    'POST /data/notifications/mark_read/': at(() => '/data/notifications/mark_read/', signedIn(200), { body: '' }),
    'POST /data/notifications/mark_all_read/': at(() => '/data/notifications/mark_all_read/', signedIn(200)),
    'GET /data/notifications/letters/': at(() => '/data/notifications/letters/', signedIn(200)),
    'PUT /data/notifications/letters/': at(() => '/data/notifications/letters/', signedIn(200), {
      body: { mode: 'off' },
    }),
    'GET /data/notifications/letters/stop/': [link('stop')],
    'POST /data/notifications/letters/stop/': [link('stop', {})],
    'GET /data/notifications/letters/confirm/': [link('confirm')],
    'POST /data/notifications/letters/confirm/': [link('confirm', {})],
    'GET /data/notifications/{id}/': at(() => '/data/notifications/00000000000/', signedIn(404)),
  },

  leaderboard: {
    'GET /data/leaderboard/': at(() => '/data/leaderboard/', all(200)),
    'GET /data/contributors/': at(() => '/data/contributors/', all(200)),
    'GET /data/progression/': at(() => '/data/progression/', all(200)),
    'GET /data/personal-stats/': at(() => '/data/personal-stats/', signedIn(404)),
    'GET /data/user-stats/': at(() => '/data/user-stats/', signedIn(200)),
  },

  calendars: {
    'GET /data/calendars/convert/': at(() => '/data/calendars/convert/?date=BS+2081-01-01', all(200)),
  },
  registry: {
    'GET /data/schema-extension-proposals/': at(() => '/data/schema-extension-proposals/', signedIn(200)),
    'POST /data/schema-extension-proposals/': at(() => '/data/schema-extension-proposals/', signedIn(400), {
      body: {},
    }),
    'GET /data/schema-extension-proposals/{id}/': [proposed('', by(404, 404, 200, 404, 200, 200, 200))],
    'PATCH /data/schema-extension-proposals/{id}/': [proposed('', by(401, 404, 200, 404, 403, 403, 200), {})],
    'POST /data/schema-extension-proposals/{id}/submit/': [proposed('submit/', by(401, 404, 200, 404, 403, 403, 200))],
    'POST /data/schema-extension-proposals/{id}/withdraw/': [
      proposed('withdraw/', by(401, 404, 200, 404, 403, 403, 200)),
    ],
    // It is a draft still.
    'POST /data/schema-extension-proposals/{id}/approve/': [
      proposed('approve/', by(401, 403, 403, 403, 400, 400, 400), {}),
    ],
    'POST /data/schema-extension-proposals/{id}/reject/': [
      proposed('reject/', by(401, 403, 403, 403, 400, 400, 400), {}),
    ],
    'POST /data/schema-extension-proposals/{id}/publish/': [
      proposed('publish/', by(401, 403, 403, 403, 400, 400, 400)),
    ],
    'GET /data/schema-extension-proposals/{id}/audit/': [proposed('audit/', by(404, 404, 200, 404, 200, 200, 200))],
    'GET /cidoc/schema/labels/': at(() => '/cidoc/schema/labels/', all(200)),
    'GET /cidoc/shapes/': at(() => '/cidoc/shapes/', all(200)),
    'GET /cidoc/schema/registry/': at(() => '/cidoc/schema/registry/', all(200)),
  },

  sources: {
    'GET /cidoc/data_sources/': at(() => '/cidoc/data_sources/', all(200)),
    'POST /cidoc/data_sources/': at(() => '/cidoc/data_sources/', signedIn(201), { body: whole }),
    'GET /cidoc/data_sources/{id}/': at(() => `/cidoc/data_sources/${source.id}/`, all(200)),
    // It has no file.
    'GET /cidoc/data_sources/{id}/file/': at(() => `/cidoc/data_sources/${source.id}/file/`, all(404)),
    'PUT /cidoc/data_sources/{id}/': at(() => `/cidoc/data_sources/${source.id}/`, changesOpen(200), { body: whole }),
    'PATCH /cidoc/data_sources/{id}/': at(() => `/cidoc/data_sources/${source.id}/`, changesOpen(200), { body: whole }),
    'PUT /cidoc/data_sources/{id}/labels/': [
      {
        place: () => ({ path: `/cidoc/data_sources/${source.id}/labels/`, body: { labels: [] } }),
        gives: by(401, 403, 200, 200, 200, 200, 200),
      },
    ],
    'POST /cidoc/data_sources/{id}/restore/': [
      {
        place: async () => {
          const it = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: whole }))
          sure(204, await app.contributor.delete(`/cidoc/data_sources/${it.id}/`))
          return { path: `/cidoc/data_sources/${it.id}/restore/` }
        },
        gives: by(401, 404, 404, 404, 404, 404, 200),
      },
      ...at(() => `/cidoc/data_sources/${source.id}/restore/`, staffOnly(409)),
    ],
    'GET /cidoc/data_sources/{id}/dependents/': at(() => `/cidoc/data_sources/${source.id}/dependents/`, all(200)),
    'POST /cidoc/data_sources/{id}/question/': [
      {
        place: async () => {
          const it = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: whole }))
          return {
            path: `/cidoc/data_sources/${it.id}/question/`,
            body: { standing: 'questioned', reason: 'It is a copy.' },
          }
        },
        gives: by(401, 403, 403, 403, 200, 200, 200),
      },
    ],
    // Nothing is in question.
    'POST /cidoc/data_sources/{id}/question/decide/': at(
      () => `/cidoc/data_sources/${source.id}/question/decide/`,
      by(401, 403, 403, 403, 409, 409, 409),
      { body: { entity_ids: [unknown], verdict: 'accept' } },
    ),
    'DELETE /cidoc/data_sources/{id}/': [
      {
        place: async () => {
          const it = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: whole }))
          return { path: `/cidoc/data_sources/${it.id}/` }
        },
        gives: changesOpen(204),
      },
    ],
  },

  clusters: {
    'GET /cidoc/kg/graph/': at(() => '/cidoc/kg/graph/', all(200), { query: { scope: 'all' } }),
    'GET /cidoc/kg/neighborhood/': at(() => '/cidoc/kg/neighborhood/', all(200), {
      query: { uri: 'https://w3id.org/heritagegraph/resource/structure/1' },
    }),
    'GET /cidoc/kg/stats/': at(() => '/cidoc/kg/stats/', all(200)),
    'GET /cidoc/identity-summary/': at(() => `/cidoc/identity-summary/`, all(200), {
      query: { entity_type: 'structure', entity_id: 1 },
    }),
    'GET /data/entity-proposals/': at(() => '/data/entity-proposals/', signedIn(200)),
    'POST /data/entity-proposals/': at(() => '/data/entity-proposals/', signedIn(400), { body: {} }),
    'GET /data/entity-proposals/{id}/': [thing('', by(404, 404, 200, 404, 200, 200, 200))],
    'PATCH /data/entity-proposals/{id}/': [thing('', by(401, 404, 200, 404, 403, 403, 200), {})],
    'POST /data/entity-proposals/{id}/submit/': [thing('submit/', by(401, 404, 200, 404, 403, 403, 200))],
    'POST /data/entity-proposals/{id}/withdraw/': [thing('withdraw/', by(401, 404, 200, 404, 403, 403, 200))],
    // It is a draft still.
    'POST /data/entity-proposals/{id}/approve/': [thing('approve/', by(401, 403, 403, 403, 400, 400, 400), {})],
    'POST /data/entity-proposals/{id}/reject/': [thing('reject/', by(401, 403, 403, 403, 400, 400, 400), {})],
    'GET /data/entity-proposals/{id}/audit/': [thing('audit/', by(404, 404, 200, 404, 200, 200, 200))],
    'GET /data/relationship-proposals/': at(() => '/data/relationship-proposals/', signedIn(200)),
    'POST /data/relationship-proposals/': at(() => '/data/relationship-proposals/', signedIn(400), { body: {} }),
    'GET /data/relationship-proposals/{id}/': [relationship('', by(404, 404, 200, 404, 200, 200, 200))],
    'PATCH /data/relationship-proposals/{id}/': [relationship('', by(401, 404, 200, 404, 403, 403, 200), {})],
    'POST /data/relationship-proposals/{id}/submit/': [relationship('submit/', by(401, 404, 200, 404, 403, 403, 200))],
    'POST /data/relationship-proposals/{id}/withdraw/': [
      relationship('withdraw/', by(401, 404, 200, 404, 403, 403, 200)),
    ],
    // It is a draft still.
    'POST /data/relationship-proposals/{id}/approve/': [
      relationship('approve/', by(401, 403, 403, 403, 400, 400, 400), {}),
    ],
    'POST /data/relationship-proposals/{id}/reject/': [
      relationship('reject/', by(401, 403, 403, 403, 400, 400, 400), {}),
    ],
    'GET /data/relationship-proposals/{id}/audit/': [relationship('audit/', by(404, 404, 200, 404, 200, 200, 200))],
    'GET /cidoc/identity-candidates/': at(() => '/cidoc/identity-candidates/', reviewers(200)),
    'GET /cidoc/identity-candidates/{id}/': at(() => `/cidoc/identity-candidates/${pair.id}/`, reviewers(200)),
    // Accepting takes a cluster: told to those who may decide.
    'POST /cidoc/identity-candidates/{id}/resolve/': at(
      () => `/cidoc/identity-candidates/${pair.id}/resolve/`,
      by(401, 404, 404, 400, 400, 400, 400),
      { body: { resolution: 'accept' } },
    ),
    'GET /cidoc/entity-clusters/': at(() => '/cidoc/entity-clusters/', all(200)),
    'POST /cidoc/entity-clusters/': at(() => '/cidoc/entity-clusters/', by(401, 403, 403, 201, 201, 201, 201), {
      body: { canonical_label: 'New', type_scope: 'structure' },
    }),
    'GET /cidoc/entity-clusters/suggest-duplicates/': at(
      () => '/cidoc/entity-clusters/suggest-duplicates/',
      signedIn(200),
      {
        query: { q: 'Published' },
      },
    ),
    'GET /cidoc/entity-clusters/{id}/': at(() => `/cidoc/entity-clusters/${cluster.id}/`, all(200)),
    'GET /cidoc/entity-clusters/{id}/members/': at(() => `/cidoc/entity-clusters/${cluster.id}/members/`, all(200)),
    // The version that a change names is missing: told to those who may change it.
    'PUT /cidoc/entity-clusters/{id}/': at(() => `/cidoc/entity-clusters/${cluster.id}/`, curators(400), { body: {} }),
    'PATCH /cidoc/entity-clusters/{id}/': at(() => `/cidoc/entity-clusters/${cluster.id}/`, curators(400), {
      body: { canonical_label: '' },
    }),
    // It is not at this version: told to those who may lock it.
    'POST /cidoc/entity-clusters/{id}/lock/': at(() => `/cidoc/entity-clusters/${cluster.id}/lock/`, curators(409), {
      body: { reason: 'Settled.', expected_version: 99 },
    }),
    'POST /cidoc/entity-clusters/{id}/unlock/': at(
      () => `/cidoc/entity-clusters/${cluster.id}/unlock/`,
      curators(409),
      { body: { reason: 'Open again.', expected_version: 99 } },
    ),
    'POST /cidoc/entity-clusters/{id}/merge/': at(() => `/cidoc/entity-clusters/${cluster.id}/merge/`, curators(409), {
      body: { source_cluster_id: unknown, reason: 'One thing.', expected_version: 99 },
    }),
    'POST /cidoc/entity-clusters/{id}/split/': at(() => `/cidoc/entity-clusters/${cluster.id}/split/`, curators(409), {
      body: { groups: [[1], [2]], reason: 'Two things.', expected_version: 99 },
    }),
    'GET /cidoc/entity-clusters/{id}/conflict-check/': at(
      () => `/cidoc/entity-clusters/${cluster.id}/conflict-check/`,
      // There is no such cluster: told to those who may compare.
      curators(400),
      { query: { source_cluster_id: unknown } },
    ),
    'GET /cidoc/entity-clusters/{id}/suggest-external/': at(
      () => `/cidoc/entity-clusters/${cluster.id}/suggest-external/`,
      signedIn(200),
    ),
    'GET /cidoc/entity-clusters/{id}/audit/': at(() => `/cidoc/entity-clusters/${cluster.id}/audit/`, curators(200)),
  },

  roles: {
    'GET /data/reviewer-roles/': at(() => '/data/reviewer-roles/', curators(200)),
    'GET /data/reviewer-roles/my_role/': at(
      () => '/data/reviewer-roles/my_role/',
      by(401, 404, 404, 200, 200, 200, 404),
    ),
    'GET /data/reviewer-roles/{id}/': at(() => `/data/reviewer-roles/${unknown}/`, curators(404)),
    'POST /data/reviewer-roles/': at(() => '/data/reviewer-roles/', curators(400), { body: {} }),
    'POST /data/reviewer-roles/assign/': at(() => '/data/reviewer-roles/assign/', curators(400), { body: {} }),
    'PUT /data/reviewer-roles/{id}/': at(() => `/data/reviewer-roles/${unknown}/`, curators(400), { body: {} }),
    'PATCH /data/reviewer-roles/{id}/': at(() => `/data/reviewer-roles/${unknown}/`, curators(404), { body: {} }),
    'DELETE /data/reviewer-roles/{id}/': at(() => `/data/reviewer-roles/${unknown}/`, curators(404)),
    'GET /data/reviewer-applications/': at(() => '/data/reviewer-applications/', curators(200)),
    'POST /data/reviewer-applications/': at(() => '/data/reviewer-applications/', signedIn(400), {
      body: { message: 5 },
    }),
    'GET /data/reviewer-applications/mine/': at(() => '/data/reviewer-applications/mine/', signedIn(200)),
    // There is none.
    'POST /data/reviewer-applications/mine/withdraw/': at(
      () => '/data/reviewer-applications/mine/withdraw/',
      signedIn(400),
    ),
    'GET /data/reviewer-applications/{id}/': at(() => `/data/reviewer-applications/${unknown}/`, curators(404)),
    'POST /data/reviewer-applications/{id}/approve/': at(
      () => `/data/reviewer-applications/${unknown}/approve/`,
      curators(404),
    ),
    'POST /data/reviewer-applications/{id}/reject/': at(
      () => `/data/reviewer-applications/${unknown}/reject/`,
      curators(404),
    ),
    'GET /data/platform-admin/users/': at(() => '/data/platform-admin/users/', curators(200)),
    'GET /data/platform-admin/users/{id}/': at(() => `/data/platform-admin/users/${unknown}/`, curators(404)),
    'DELETE /data/platform-admin/users/{id}/': at(() => `/data/platform-admin/users/${unknown}/`, staffOnly(404), {
      body: {},
    }),
    'POST /data/platform-admin/users/{id}/link/': at(
      () => `/data/platform-admin/users/${unknown}/link/`,
      staffOnly(404),
      { body: { provider: 'idp', subject: 'sub' } },
    ),
    'POST /data/platform-admin/users/{id}/deactivate/': at(
      () => `/data/platform-admin/users/${unknown}/deactivate/`,
      staffOnly(404),
      { body: { reason: 'Spam' } },
    ),
    'POST /data/platform-admin/users/{id}/activate/': at(
      () => `/data/platform-admin/users/${unknown}/activate/`,
      staffOnly(404),
    ),
  },

  // What anyone may send is refused for what it lacks.
  tokens: {
    'POST /api/token/': at(() => '/api/token/', all(400), { body: {} }),
    'POST /api/token/refresh/': at(() => '/api/token/refresh/', all(400), { body: {} }),
    'POST /data/blacklist/': at(() => '/data/blacklist/', signedIn(400), { body: {} }),
    'POST /api/register/': at(() => '/api/register/', all(400), { body: {} }),
    'POST /data/register/': at(() => '/data/register/', all(400), { body: {} }),
    'POST /api/dev/login/': at(() => '/api/dev/login/', all(400), { body: {} }),
    'POST /api/dev/logout/': at(() => '/api/dev/logout/', all(200)),
  },

  users: {
    'GET /api/user/keys/': at(() => '/api/user/keys/', signedIn(200)),
    'POST /api/user/keys/': at(() => '/api/user/keys/', signedIn(400), { body: {} }),
    'DELETE /api/user/keys/{id}/': [
      {
        place: async () => {
          const body = { name: 'A machine', scopes: ['read'], days: 1 }
          const { id } = sure(201, await app.contributor.post('/api/user/keys/', { body }))
          return { path: `/api/user/keys/${id}/` }
        },
        gives: by(401, 404, 204, 404, 404, 404, 204),
      },
    ],
    'GET /api/user/info/': at(() => '/api/user/info', signedIn(200)),
    'GET /data/testme/': at(() => '/data/api/testme/', signedIn(200)),
    'GET /data/testthelogin/': at(() => '/data/api/testthelogin', signedIn(200)),
    'GET /data/user/me/': at(() => '/data/api/user/me/', signedIn(200)),
    'GET /data/user/me/export/': at(() => '/data/user/me/export/', signedIn(200)),
    'POST /data/user/me/export/': at(() => '/data/user/me/export/', signedIn(202)),
    // Theirs need a password.
    'DELETE /data/user/me/': at(() => '/data/user/me/', signedIn(400), { body: {} }),
    'GET /data/user/{slug}/': at(() => `/data/user/${me}/`, all(200)),
    'GET /data/user/by-username/{username}/': at(() => '/data/user/by-username/dev/', all(200)),
    'POST /data/user/{slug}/': at(() => `/data/user/${me}/`, by(401, 403, 200, 403, 403, 403, 403), { body: {} }),
    'PUT /data/user/{slug}/': at(() => `/data/user/${me}/`, by(401, 403, 200, 403, 403, 403, 403), { body: {} }),
    'PATCH /data/user/{slug}/': at(() => `/data/user/${me}/`, by(401, 403, 200, 403, 403, 403, 403), { body: {} }),
    'PATCH /user/username/': at(() => '/user/username/', signedIn(400), { body: {} }),
    'PUT /user/username/': at(() => '/user/username/', signedIn(400), { body: {} }),
    'GET /data/organizations/': at(() => '/data/organizations/', all(200)),
    'POST /data/organizations/': at(() => '/data/organizations/', signedIn(400), { body: {} }),
    'GET /data/organizations/my_organizations/': at(() => '/data/organizations/my_organizations/', signedIn(200)),
    'GET /data/organizations/{id}/': [guthi(() => '', all(200))],
    'PUT /data/organizations/{id}/': [guthi(() => '', changesOpen(200), {})],
    'PATCH /data/organizations/{id}/': [guthi(() => '', changesOpen(200), {})],
    // Its owner, while nobody else is in it.
    'DELETE /data/organizations/{id}/': [guthi(() => '', by(401, 403, 409, 403, 403, 403, 204))],
    'GET /data/organizations/{id}/members/': [guthi(() => 'members/', all(200))],
    'POST /data/organizations/{id}/join/': [guthi(() => 'join/', by(401, 400, 400, 201, 201, 201, 201))],
    'POST /data/organizations/{id}/leave/': [guthi(() => 'leave/', by(401, 200, 400, 400, 400, 400, 400))],
    'PATCH /data/organizations/{id}/members/{user_id}/': [
      guthi(({ other }) => `members/${other}/`, changesOpen(200), { confirmed: true }),
    ],
    'DELETE /data/organizations/{id}/members/{user_id}/': [guthi(({ other }) => `members/${other}/`, changesOpen(204))],
  },

  scans: {
    'GET /data/ocr-documents/': at(() => '/data/ocr-documents/', signedIn(200)),
    'POST /data/ocr-documents/upload/': [
      { place: () => ({ path: '/data/ocr-documents/upload/', body: form({ other: 'x' }) }), gives: signedIn(400) },
    ],
    'GET /data/ocr-documents/{id}/': [scanned('', readsHidden)],
    'GET /data/ocr-documents/{id}/suggestions/': [scanned('suggestions/', readsHidden)],
    'GET /data/ocr-documents/{id}/review/': [scanned('review/', readsHidden)],
    'GET /data/ocr-documents/{id}/review-state/': [scanned('review-state/', readsHidden)],
    'PATCH /data/ocr-documents/{id}/review-state/': [scanned('review-state/', changesHidden(200), {})],
    // It has not been read yet.
    'POST /data/ocr-documents/{id}/finalize-review/': [scanned('finalize-review/', changesHidden(400))],
    'GET /data/ocr-documents/{id}/compile-preview/': [scanned('compile-preview/', readsHidden)],
    'GET /data/ocr-documents/{id}/graph-export/': [scanned('graph-export/', readsHidden)],
    'GET /data/ocr-documents/{id}/events/': [scanned('events/', readsHidden)],
    'GET /data/ocr-documents/{id}/asset/': [scanned('asset/', readsHidden)],
    'POST /data/ocr-documents/{id}/run-pipeline/': [scanned('run-pipeline/', changesHidden(400))],
    'POST /data/ocr-documents/{id}/retry/': [scanned('retry/', changesHidden(409))],
    'POST /data/ocr-chunk-uploads/': at(() => '/data/ocr-chunk-uploads/', signedIn(400), { body: {} }),
    'POST /data/ocr-chunk-uploads/{id}/append/': [parted('append/', changesHidden(400), () => form({ other: 'x' }))],
    'POST /data/ocr-chunk-uploads/{id}/complete/': [parted('complete/', changesHidden(400))],
  },

  'profile-images': {
    'POST /data/user/profile-image/': [
      {
        place: () => {
          const body = new FormData()
          body.set('other', 'x')
          return { path: '/data/user/profile-image/', body }
        },
        gives: signedIn(400),
      },
    ],
    'DELETE /data/user/profile-image/': at(() => '/data/user/profile-image/', signedIn(200)),
    // There is none.
    'GET /data/user/{slug}/image/': at(() => `/data/user/${me}/image/`, all(404)),
  },

  exports: {
    'GET /data/exports/': at(() => '/data/exports/', all(200)),
    'GET /robots.txt/': at(() => '/robots.txt', all(200)),
    'GET /sitemap.xml/': at(() => '/sitemap.xml', all(200)),
    // The exporter has not made any yet.
    'GET /sitemap/{part}/': at(() => '/sitemap/1.xml.gz', all(404)),
    // No run has ended yet.
    'GET /data/exports/{name}/': at(() => '/data/exports/structure.nq/', all(404)),
    'GET /fragments/': at(() => '/fragments/', all(200)),
    'GET /.well-known/void/': at(() => '/.well-known/void/', all(200)),
  },

  // Nothing has been told of: the projector is not at work.
  changes: {
    'GET /data/changes/': at(() => '/data/changes/', all(200)),
    'GET /data/changes/{number}/': at(() => '/data/changes/1/', all(404)),
    'GET /data/changes/activity/': at(() => '/data/changes/activity/', all(200)),
    'GET /data/changes/activity/{number}/': at(() => '/data/changes/activity/1/', all(200)),
  },

  reconcile: {
    'GET /data/reconcile/': at(() => '/data/reconcile/', all(200)),
    'POST /data/reconcile/': at(() => '/data/reconcile/', all(200), { body: { queries: { q: { query: 'x' } } } }),
    'GET /data/reconcile/suggest/entity/': at(() => '/data/reconcile/suggest/entity/?prefix=p', all(200)),
    'GET /data/reconcile/suggest/property/': at(() => '/data/reconcile/suggest/property/', all(200)),
    'GET /data/reconcile/suggest/type/': at(() => '/data/reconcile/suggest/type/', all(200)),
    'GET /data/reconcile/properties/': at(() => '/data/reconcile/properties/', all(200)),
    'GET /data/resolve/': at(() => '/data/resolve/?same_as=wd:Q37', all(200)),
    'GET /data/resolve/shared/': at(() => '/data/resolve/shared/', reviewers(200)),
    'GET /data/reconcile/preview/{entity_id}/': [
      ...at(() => `/data/reconcile/preview/${published.cultural_entity_id}/`, all(200)),
      ...at(() => `/data/reconcile/preview/${pending.cultural_entity_id}/`, all(404)),
    ],
  },

  mcp: {
    'POST /mcp/': at(() => '/mcp/', all(200), { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
  },
  watches: {
    'GET /data/watches/': at(() => '/data/watches/', signedIn(200)),
    'POST /data/watches/': at(() => '/data/watches/', signedIn(400), { body: {} }),
    'DELETE /data/watches/{id}/': [
      {
        place: async () => ({ path: `/data/watches/${(await watchOfContributor()).id}/` }),
        gives: by(401, 404, 204, 404, 404, 404, 404),
      },
    ],
    'GET /data/watches/feed/': [{ place: async () => ({ path: await watchLink('feed_url') }), gives: all(200) }],
    'GET /data/watches/stop/': [{ place: async () => ({ path: await watchLink('stop_url') }), gives: all(200) }],
    'POST /data/watches/stop/': [
      { place: async () => ({ path: await watchLink('stop_url'), body: {} }), gives: all(200) },
    ],
  },
  hooks: {
    'GET /api/user/hooks/': at(() => '/api/user/hooks/', signedIn(200)),
    'POST /api/user/hooks/': at(() => '/api/user/hooks/', signedIn(400), { body: {} }),
    'GET /api/user/hooks/{id}/': ownHook('', by(404, 404, 200, 404, 404, 404, 200)),
    'DELETE /api/user/hooks/{id}/': ownHook('', by(401, 404, 204, 404, 404, 404, 204)),
    'GET /api/user/hooks/{id}/deliveries/': ownHook('deliveries/', by(404, 404, 200, 404, 404, 404, 200)),
    // There is none of this id.
    'POST /api/user/hooks/{id}/deliveries/{delivery_id}/send/': ownHook(
      `deliveries/${unknown}/send/`,
      by(401, 404, 404, 404, 404, 404, 404),
    ),
  },

  oai: {
    'GET /data/oai/': at(() => '/data/oai/?verb=Identify', all(200)),
    'POST /data/oai/': at(() => '/data/oai/', all(200), { body: { verb: 'Identify' } }),
  },

  documents: {
    'GET /schema/': at(() => '/schema/', all(200)),
    'GET /docs/': at(() => '/docs', all(200)),
    'GET /docs/{file}/': at(() => '/docs/page.js', all(200)),
  },

  projects: {
    'GET /data/projects/': at(() => '/data/projects/', all(200)),
    'POST /data/projects/': at(() => '/data/projects/', signedIn(400), { body: {} }),
    'GET /data/projects/{slug}/': readsProject('', 200, 200),
    'PUT /data/projects/{slug}/': editsProject('', 400),
    'PATCH /data/projects/{slug}/': editsProject('', 400, { title: '' }),
    'DELETE /data/projects/{slug}/': [
      {
        place: async () => ({ path: `/data/projects/${await newProject(`gone-${++made}`, 'public')}/` }),
        gives: changesOpen(204),
      },
    ],
    // Who has a part in it is told what the body lacks.
    'POST /data/projects/{slug}/transition/': [
      ...at(() => '/data/projects/open-project/transition/', by(401, 403, 400, 400, 400, 400, 400)),
      ...at(() => '/data/projects/hidden-project/transition/', by(401, 404, 400, 404, 404, 404, 400)),
    ],
    // It is not merged.
    'POST /data/projects/{slug}/rollback-merge/': [
      ...at(() => '/data/projects/open-project/rollback-merge/', by(401, 403, 403, 403, 400, 400, 400)),
      ...at(() => '/data/projects/hidden-project/rollback-merge/', by(401, 404, 403, 404, 404, 404, 400)),
    ],
    'GET /data/projects/{slug}/merge-preview/': [
      ...at(() => inOpen('merge-preview/'), by(401, 403, 403, 200, 200, 200, 200)),
      ...at(() => inHidden('merge-preview/'), by(401, 403, 403, 404, 404, 404, 200)),
    ],
    'GET /data/projects/{slug}/activity/': readsProject('activity/', 401, 200),
    'GET /data/projects/{slug}/graph/': readsProject('graph/', 200, 200),
    'GET /data/projects/{slug}/memberships/': readsProject('memberships/', 401, 200),
    'POST /data/projects/{slug}/memberships/': editsProject('memberships/', 400),
    'GET /data/projects/{slug}/memberships/{id}/': readsProject(`memberships/${unknown}/`, 401, 404),
    'PUT /data/projects/{slug}/memberships/{id}/': editsProject(`memberships/${unknown}/`, 400),
    'PATCH /data/projects/{slug}/memberships/{id}/': editsProject(`memberships/${unknown}/`, 400),
    'DELETE /data/projects/{slug}/memberships/{id}/': editsProject(`memberships/${unknown}/`, 404),
    'GET /data/projects/{slug}/entities/': readsProject('entities/', 401, 200),
    'POST /data/projects/{slug}/entities/': editsProject('entities/', 400),
    'GET /data/projects/{slug}/entities/{id}/': readsProject(`entities/${unknown}/`, 401, 404),
    'PUT /data/projects/{slug}/entities/{id}/': editsProject(`entities/${unknown}/`, 400),
    'PATCH /data/projects/{slug}/entities/{id}/': editsProject(`entities/${unknown}/`, 400),
    'DELETE /data/projects/{slug}/entities/{id}/': editsProject(`entities/${unknown}/`, 404),
    'GET /data/projects/{slug}/comments/': readsProject('comments/', 401, 200),
    'POST /data/projects/{slug}/comments/': [
      ...at(() => '/data/projects/open-project/comments/', signedIn(400), { body: {} }),
      ...at(() => '/data/projects/hidden-project/comments/', by(401, 404, 400, 404, 404, 404, 400), { body: {} }),
    ],
    'GET /data/projects/{slug}/comments/{id}/': readsSaying('', 401, 200),
    'GET /data/projects/{slug}/comments/{id}/replies/': readsSaying('replies/', 401, 200),
    'PUT /data/projects/{slug}/comments/{id}/': changesSaying(400),
    'PATCH /data/projects/{slug}/comments/{id}/': changesSaying(400),
    'DELETE /data/projects/{slug}/comments/{id}/': [
      {
        place: async () => ({ path: `/data/projects/open-project/comments/${await saying('open-project')}/` }),
        gives: changesOpen(204),
      },
    ],
  },

  assets: {
    'GET /data/projects/{slug}/assets/': readsProject('assets/', 401, 200),
    'POST /data/projects/{slug}/assets/': editsProject('assets/', 400),
    // What is wrong with a body is told to those who may send one.
    'POST /data/projects/{slug}/assets/upload/': [
      ...at(() => inOpen('assets/upload/'), by(401, 403, 400, 403, 403, 403, 400), { body: new FormData() }),
      ...at(() => inHidden('assets/upload/'), by(401, 404, 400, 404, 404, 404, 400), { body: new FormData() }),
    ],
    'POST /data/projects/{slug}/assets/uploads/': editsProject('assets/uploads/', 400),
    'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/': editsProject(
      `assets/uploads/${unknown}/complete/`,
      404,
    ),
    'GET /data/projects/{slug}/assets/{id}/': readsAsset(200),
    'PATCH /data/projects/{slug}/assets/{id}/': changesAsset('', 400, { role: 'proof' }),
    'DELETE /data/projects/{slug}/assets/{id}/': [
      {
        place: async () => ({ path: inOpen(`assets/${await newAsset('open-project')}/`) }),
        gives: changesOpen(204),
      },
    ],
    'POST /data/projects/{slug}/assets/{id}/start-ocr/': changesAsset('start-ocr/', 400),
  },

  pictures: {
    'POST /data/pictures/': at(() => '/data/pictures/', signedIn(400), { body: new FormData() }),
    'POST /data/pictures/uploads/': at(() => '/data/pictures/uploads/', signedIn(400), { body: {} }),
    // The file has not been sent.
    'POST /data/pictures/uploads/{id}/complete/': at(
      () => `/data/pictures/uploads/${picture}/complete/`,
      by(401, 404, 400, 404, 404, 404, 404),
    ),
    'GET /data/pictures/{id}/': at(() => `/data/pictures/${picture}/`, by(404, 404, 200, 404, 404, 404, 200)),
    'GET /data/manifests/records/{entity_id}/': [
      ...at(() => pictured.open.record, all(200)),
      ...at(() => pictured.hidden.record, inspectsHidden),
    ],
    // Of their files none is an image.
    'GET /data/manifests/projects/{slug}/': [
      ...at(() => '/data/manifests/projects/open-project/', all(404)),
      ...at(() => '/data/manifests/projects/hidden-project/', all(404)),
    ],
  },

  iiif: {
    'GET /data/iiif/{image}/': [
      ...at(() => pictured.open.image, all(303)),
      ...at(() => pictured.hidden.image, by(404, 404, 303, 303, 303, 303, 303)),
    ],
    'GET /data/iiif/{image}/info.json/': [
      ...at(() => `${pictured.open.image}/info.json`, all(200)),
      ...at(() => `${pictured.hidden.image}/info.json`, inspectsHidden),
    ],
    'GET /data/iiif/{image}/{region}/{size}/{rotation}/{file}/': [
      ...at(() => `${pictured.open.image}/full/max/0/default.jpg`, all(200)),
      ...at(() => `${pictured.hidden.image}/full/max/0/default.jpg`, inspectsHidden),
    ],
  },

  imports: {
    'GET /data/imports/': at(() => '/data/imports/', signedIn(200)),
    'POST /data/imports/': at(() => '/data/imports/', signedIn(400), { body: new FormData() }),
    'POST /data/imports/uploads/': at(() => '/data/imports/uploads/', signedIn(400), { body: {} }),
    'POST /data/imports/uploads/{id}/complete/': at(
      () => `/data/imports/uploads/${table}/complete/`,
      by(401, 404, 400, 403, 403, 403, 403),
    ),
    'GET /data/tabular-import-jobs/': at(() => '/data/tabular-import-jobs/', signedIn(200)),
    'POST /data/tabular-import-jobs/': [
      { place: () => ({ path: '/data/tabular-import-jobs/', body: form({ other: 'x' }) }), gives: signedIn(400) },
    ],
    'GET /data/tabular-import-jobs/{id}/': at(() => `/data/tabular-import-jobs/${table}/`, inspectsHidden),
    'PATCH /data/tabular-import-jobs/{id}/': at(() => `/data/tabular-import-jobs/${table}/`, changesTable(200), {
      body: {},
    }),
    'GET /data/tabular-import-jobs/{id}/compile-preview/': at(
      () => `/data/tabular-import-jobs/${table}/compile-preview/`,
      inspectsHidden,
    ),
    'GET /data/imports/mappings/': at(() => '/data/imports/mappings/', signedIn(200)),
    'POST /data/imports/mappings/': at(() => '/data/imports/mappings/', signedIn(400), { body: {} }),
    'DELETE /data/imports/mappings/{name}/': at(() => '/data/imports/mappings/none/', signedIn(404)),
    'GET /data/imports/{id}/': at(ofTable, inspectsHidden),
    'PATCH /data/imports/{id}/': at(ofTable, changesTable(400), { body: {} }),
    'POST /data/imports/{id}/check/': at(() => ofTable('check/'), changesTable(409)),
    'POST /data/imports/{id}/run/': at(() => ofTable('run/'), changesTable(409), { body: {} }),
    'GET /data/imports/{id}/rows/': at(() => ofTable('rows/'), inspectsHidden),
    'GET /data/imports/{id}/values/': at(() => ofTable('values/'), inspectsHidden),
    'POST /data/imports/{id}/decide/': at(() => ofTable('decide/'), by(401, 404, 403, 400, 400, 400, 400), {
      body: {},
    }),
    'POST /data/imports/{id}/withdraw/': at(() => ofTable('withdraw/'), changesTable(409)),
    'POST /data/imports/{id}/take-back/': at(() => ofTable('take-back/'), by(401, 404, 403, 403, 403, 403, 409)),
  },

  health: {
    'GET /health/': at(() => '/health/', all(200)),
    'GET /health/live/': at(() => '/health/live/', all(200)),
    'GET /health/ready/': at(() => '/health/ready/', all(200)),
    'GET /health/detailed/': at(() => '/health/detailed/', all(200)),
    'GET /': at(() => '/', all(200)),
    'GET /metrics/': at(() => '/metrics', all(200)),
  },

  account: {
    'POST /api/password/reset/': at(() => '/api/password/reset/', all(400), { body: {} }),
    'GET /api/password/set/': at(() => '/api/password/set/', all(400)),
    'POST /api/password/set/': at(() => '/api/password/set/', all(400), { body: {} }),
    'PUT /api/user/password/': at(() => '/api/user/password/', signedIn(400), { body: {} }),
    'POST /api/user/address/': at(() => '/api/user/address/', signedIn(400), { body: {} }),
    // Theirs are verified.
    'POST /api/user/address/verify/': at(() => '/api/user/address/verify/', signedIn(400)),
    'GET /api/address/confirm/': at(() => '/api/address/confirm/', all(400)),
    'POST /api/address/confirm/': at(() => '/api/address/confirm/', all(400), { body: {} }),
    'GET /api/user/sessions/': at(() => '/api/user/sessions/', signedIn(200)),
    'DELETE /api/user/sessions/{id}/': at(() => `/api/user/sessions/${unknown}/`, signedIn(404)),
    // The last row of all: it ends the personas' own sessions.
    'DELETE /api/user/sessions/': at(() => '/api/user/sessions/', by(401, 204, 204, 204, 204, 204, 204)),
  },
}

const rows = Object.entries(matrix).flatMap(([group, routes]) =>
  Object.entries<readonly Case[]>(routes).map(([route, cases]) => ({ group, route, cases })),
)

/**
 * The statuses that a route gives to each persona, one after another. A place serves them until one of them has changed it, then the next
 * gets another. Whoever is refused changes nothing, which the next would notice.
 */
async function statusesOf(method: string, { place }: Case): Promise<number[]> {
  const got: number[] = []
  let standing: Place | undefined
  const callers = { ...app, ...app.ofRank }
  for (const who of personas) {
    standing ??= await place()
    const { path, ...sent } = standing
    const { status } = await callers[who].send(method, path, sent)
    got.push(status)
    if (method !== 'GET' && status < 400) standing = undefined
  }
  return got
}

describe('each route answers each persona as the matrix says', () => {
  test.each(rows)('$route', async ({ route, cases }) => {
    const [method = ''] = route.split(' ')
    for (const each of cases) {
      const { gives } = each
      const got = await statusesOf(method, each)
      expect(Object.fromEntries(personas.map((who, i) => [who, got[i]]))).toEqual(
        Object.fromEntries(personas.map((who, i) => [who, gives[i]])),
      )
    }
  })
})

test('every group and every route has a row in tests/contract/permissions.test.ts, and no row is for nothing', async () => {
  const named = functionNames()
  const served = new Map<string, string[]>()
  for (const name of named) {
    const group: { routes?: object } = await import(`../../functions/${name}.ts`)
    if (group.routes) served.set(name, Object.keys(group.routes).sort())
  }
  const tested = Object.entries(matrix).map(([group, routes]): [string, string[]] => [
    group,
    Object.keys(routes).sort(),
  ])
  expect(Object.fromEntries(tested)).toEqual(Object.fromEntries(served))
})
