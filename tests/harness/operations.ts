import type { App, Persona } from './app.ts'
import { fileOf, form, send } from './asset-world.ts'
import { csv, type ImportSteps, localSteps } from './imports.ts'
import { contribute, decide, lookAlikes, publish, submit, sure } from './make.ts'
import { photographs } from './media-files.ts'
import { changingBeside, makingBeside } from './operations-beside.ts'
import { addAsset, at, newProject, projectIn } from './projects.ts'

/** A request that succeeds once. */
export type Asked = { who: Persona; path: string; body?: object }
/** A request for each operation that changes data, by its route. Each call makes a new record or file for it to change. */
export type Operations = Readonly<Record<string, () => Promise<Asked> | Asked>>

let names = 0
/** A unique name. */
export const named = (what: string) => `${what} ${crypto.randomUUID().slice(0, 8)} ${++names}`

/** The requests for a service that `openProjects` has opened. */
export async function operationsOf(
  app: App,
  importSteps: ImportSteps = localSteps,
): Promise<{ creating: Operations; changing: Operations }> {
  const world = { ...(await worldOf(app)), importSteps }
  const beside = { ...world, named }
  return {
    creating: {
      ...makingRecords(world),
      ...makingProjects(world),
      ...makingReviews(world),
      ...makingImports(world),
      ...makingPictures(world),
      ...makingBeside(beside),
    },
    changing: {
      ...changingRecords(world),
      ...changingSources(world),
      ...changingComments(world),
      ...changingProjects(world),
      ...changingParts(world),
      ...changingReviews(world),
      ...changingRoles(world),
      ...changingPeople(world),
      ...changingImports(world),
      ...changingPictures(world),
      ...changingDoors(world),
      ...changingBeside(beside),
    },
  }
}

type World = Awaited<ReturnType<typeof worldOf>> & { importSteps: ImportSteps }
async function worldOf(app: App) {
  const photograph = (await photographs())['image/png']
  const accepted = await publish(app, 'persons', { name: named('Arniko') })
  const thread = `/data/entities/${accepted.cultural_entity_id}/comments/`
  const waiting = () => contribute(app.contributor, 'persons', { name: named('Sculptor') })
  const infoOf = async (who = app.contributor) => sure(200, await who.get('/api/user/info/'))
  return {
    app,
    photograph,
    accepted,
    thread,
    waiting,
    infoOf,
    image: () => form({ file: fileOf(photograph, 'gate.png') }),
    comment: async () => sure(201, await app.contributor.post(thread, { body: { comment: 'So it is.' } })),
    flag: async () => ({ entity: (await waiting()).cultural_entity_id, flag_type: 'other', reason: 'Look at it.' }),
    role: async (path: string): Promise<Asked> => {
      const { id } = await infoOf(app.other)
      await app.staff.delete(`/data/reviewer-roles/${id}/`)
      return { who: app.staff, path, body: { user_id: id, role: 'community_reviewer' } }
    },
    /** A person who has just signed up, with their tokens. */
    someone: async () => {
      const password = 'correct horse battery'
      const username = `someone-${++names}`
      const email = `${username}@example.org`
      sure(201, await app.anon.post('/api/register/', { body: { username, email, password } }))
      const tokens = sure(200, await app.anon.post('/api/token/', { body: { username, password } }))
      return { who: app.as(tokens.access), username, password, ...tokens }
    },
    project: () => newProject(app.contributor),
  }
}

const makingRecords = ({ app, accepted, thread, waiting, comment }: World): Operations => ({
  'POST /cidoc/{segment}/': () => ({ who: app.contributor, path: '/cidoc/persons/', body: { name: named('Painter') } }),
  'POST /cidoc/assertions/': () => ({
    who: app.contributor,
    path: '/cidoc/assertions/',
    body: { entity_type: 'person', entity_id: accepted.id, asserted_property: 'note', asserted_value: named('Note') },
  }),
  'POST /cidoc/data_sources/': () => ({
    who: app.contributor,
    path: '/cidoc/data_sources/',
    body: { name: named('Book') },
  }),
  'POST /cidoc/entity-clusters/': () => ({
    who: app.curator,
    path: '/cidoc/entity-clusters/',
    body: { canonical_label: named('Same'), type_scope: 'person' },
  }),
  'POST /data/comments/': () => ({
    who: app.contributor,
    path: '/data/comments/',
    body: { entity_id: accepted.cultural_entity_id, comment: named('Said') },
  }),
  'POST /data/entities/{entity_id}/comments/': async () => ({
    who: app.contributor,
    path: thread,
    body: { comment: named('Answered'), parent: (await comment()).id },
  }),
  'POST /data/cultural-entities/': () => ({
    who: app.contributor,
    path: '/data/cultural-entities/',
    body: { name: named('Thing'), category: 'monument', description: 'It stands.' },
  }),
  'POST /data/cultural-entities/{entity_id}/create_revision/': async () => {
    const made = await waiting()
    sure(201, await decide(app.curator, made, { verdict: 'request_changes', feedback: 'A source, please.' }))
    const path = `/data/cultural-entities/${made.cultural_entity_id}/create_revision/`
    return { who: app.contributor, path, body: { note: named('Revised') } }
  },
})

const makingProjects = ({ app, accepted, image, project }: World): Operations => ({
  'POST /data/projects/': () => ({
    who: app.contributor,
    path: '/data/projects/',
    body: { slug: `made-${++names}`, title: 'Made' },
  }),
  'POST /data/projects/{slug}/assets/': async () => {
    const { media } = sure(201, await app.contributor.post(at(await project(), 'assets/upload/'), { body: image() }))
    return { who: app.contributor, path: at(await project(), 'assets/'), body: { media: media.id ?? media } }
  },
  'POST /data/projects/{slug}/assets/upload/': async () => ({
    who: app.contributor,
    path: at(await project(), 'assets/upload/'),
    body: image(),
  }),
  'POST /data/projects/{slug}/assets/uploads/': async () => ({
    who: app.contributor,
    path: at(await project(), 'assets/uploads/'),
    body: { file_name: 'gate.png', size: 10 },
  }),
  'POST /data/projects/{slug}/comments/': async () => ({
    who: app.contributor,
    path: at(await project(), 'comments/'),
    body: { comment: 'So far.' },
  }),
  'POST /data/projects/{slug}/entities/': async () => ({
    who: app.contributor,
    path: at(await project(), 'entities/'),
    body: { entity: accepted.cultural_entity_id },
  }),
  'POST /data/projects/{slug}/memberships/': async () => ({
    who: app.contributor,
    path: at(await project(), 'memberships/'),
    body: { username: 'other' },
  }),
})

const makingReviews = ({ app, waiting, flag, role }: World): Operations => ({
  'POST /data/reactions/toggle/': async () => ({
    who: app.contributor,
    path: '/data/reactions/toggle/',
    body: { reaction_type: 'upvote', entity_id: (await waiting()).cultural_entity_id },
  }),
  'POST /data/review-flags/': async () => ({ who: app.contributor, path: '/data/review-flags/', body: await flag() }),
  'POST /data/review-workspace/{entity_id}/decide/': async () => ({
    who: app.curator,
    path: `/data/review-workspace/${(await waiting()).cultural_entity_id}/decide/`,
    body: { verdict: 'accept' },
  }),
  'POST /data/reviewer-applications/': async () => {
    await app.contributor.post('/data/reviewer-applications/mine/withdraw/')
    return { who: app.contributor, path: '/data/reviewer-applications/', body: { message: 'I know the town.' } }
  },
  'POST /data/reviewer-roles/': () => role('/data/reviewer-roles/'),
  'POST /data/reviewer-roles/assign/': () => role('/data/reviewer-roles/assign/'),
  'POST /data/submission-suggestions/': async () => ({
    who: app.contributor,
    path: '/data/submission-suggestions/',
    body: { submission: (await submit('dev')).submission_id, title: 'New', description: 'Better.' },
  }),
})

/** A small table of new records. */
const table = () =>
  csv([
    ['Temple name', 'Remarks'],
    [named('Listed temple'), 'One'],
  ])

const makingPictures = ({ app, image }: World): Operations => ({
  'POST /data/pictures/': () => ({ who: app.contributor, path: '/data/pictures/', body: image() }),
  'POST /data/pictures/uploads/': () => ({
    ...{ who: app.contributor, path: '/data/pictures/uploads/', body: { file_name: 'gate.png', size: 10 } },
  }),
})

const changingPictures = ({ app, photograph }: World): Operations => ({
  'POST /data/pictures/uploads/{id}/complete/': async () => {
    const body = { file_name: 'gate.png', size: photograph.length }
    const { id, upload } = sure(201, await app.contributor.post('/data/pictures/uploads/', { body }))
    await send(upload, photograph)
    return { who: app.contributor, path: `/data/pictures/uploads/${id}/complete/` }
  },
})

const makingImports = ({ app, importSteps }: World): Operations => ({
  'POST /data/imports/': () => ({
    ...{ who: app.contributor, path: '/data/imports/' },
    body: form({ file: new File([table()], 'temples.csv') }),
  }),
  'POST /data/imports/uploads/': () => ({
    ...{ who: app.contributor, path: '/data/imports/uploads/', body: { file_name: 'temples.csv', size: 10 } },
  }),
  'POST /data/imports/mappings/': async () => {
    const { mapping } = await importSteps.readTable(app.contributor, 'temples.csv', table())
    return { who: app.contributor, path: '/data/imports/mappings/', body: { name: named('Temples'), mapping } }
  },
})

function changingImports({ app, importSteps }: World): Operations {
  const by = { who: app.contributor }
  const at = (id: string, task = '') => `/data/imports/${id}/${task}`
  const { done: after, readTable, checkTable } = importSteps
  const read = () => readTable(app.contributor, 'temples.csv', table())
  const checked = () => checkTable(app.contributor, 'temples.csv', table())
  const done = async () => after(app.contributor, (await checked()).id, 'run')
  return {
    'PATCH /data/imports/{id}/': async () => {
      const { id, mapping } = await read()
      return { ...by, path: at(id), body: { mapping: { ...mapping, match: 'none' } } }
    },
    'POST /data/imports/{id}/check/': async () => ({ ...by, path: at((await read()).id, 'check/') }),
    'POST /data/imports/{id}/run/': async () => ({ ...by, path: at((await checked()).id, 'run/') }),
    'POST /data/imports/{id}/decide/': async () => ({
      ...{ who: app.community, path: at((await done()).id, 'decide/'), body: { verdict: 'accept' } },
    }),
    'POST /data/imports/{id}/withdraw/': async () => ({ ...by, path: at((await done()).id, 'withdraw/') }),
    'POST /data/imports/{id}/take-back/': async () => ({
      ...{ who: app.staff, path: at((await done()).id, 'take-back/') },
    }),
    'POST /data/imports/uploads/{id}/complete/': async () => {
      const bytes = Buffer.from(table())
      const body = { file_name: 'temples.csv', size: bytes.length }
      const { import_id, upload } = sure(201, await app.contributor.post('/data/imports/uploads/', { body }))
      await send(upload, bytes)
      return { ...by, path: `/data/imports/uploads/${import_id}/complete/` }
    },
    'DELETE /data/imports/mappings/{name}/': async () => {
      const { mapping } = await read()
      const body = { name: named('Temples'), mapping }
      sure(201, await app.contributor.post('/data/imports/mappings/', { body }))
      return { ...by, path: `/data/imports/mappings/${encodeURIComponent(body.name)}/` }
    },
  }
}

/** Keys and hooks. Their answers contain a secret that is stored nowhere, so a repeated request returns another one. */
function changingDoors({ app, someone }: World): Operations {
  const [keys, hooks] = ['/api/user/keys/', '/api/user/hooks/']
  const key = () => ({ name: named('Tablet'), scopes: ['read'] })
  const hook = () => ({ url: `http://127.0.0.1:9/${named('told').replaceAll(' ', '-')}` })
  const had = async (path: string, body: object) => {
    const { who } = await someone()
    const { id } = sure(201, await who.post(path, { body }))
    return { who, id, path: `${path}${id}/` }
  }
  return {
    'POST /api/user/keys/': async () => ({ who: (await someone()).who, path: keys, body: key() }),
    'DELETE /api/user/keys/{id}/': () => had(keys, key()),
    'POST /api/user/hooks/': async () => ({ who: (await someone()).who, path: hooks, body: hook() }),
    'DELETE /api/user/hooks/{id}/': () => had(hooks, hook()),
    'POST /api/user/hooks/{id}/deliveries/{delivery_id}/send/': async () => {
      const { who, id, path } = await had(hooks, hook())
      const [{ deliveryFor }, { transact }] = await Promise.all([
        import('../../lib/domain/webhooks/deliveries.ts'),
        import('../../lib/engines/table/transact.ts'),
      ])
      const delivery = { id: crypto.randomUUID(), event: 'records.changed', body: '{}' }
      await transact([deliveryFor(id, delivery)])
      return { who, path: `${path}deliveries/${delivery.id}/send/` }
    },
    'POST /cidoc/assist/read-date/': () => ({
      ...{ who: app.contributor, path: '/cidoc/assist/read-date/', body: { text: 'BS 2081' } },
    }),
    'POST /data/reconcile/': () => ({
      ...{ who: app.contributor, path: '/data/reconcile/', body: { queries: '{"q0": {"query": "Arniko"}}' } },
    }),
  }
}

/** The same change as PUT and as PATCH. */
const both = (path: string, ask: () => Promise<Asked> | Asked): Operations => ({
  [`PUT ${path}`]: ask,
  [`PATCH ${path}`]: ask,
})

function changingRecords({ app, waiting, accepted }: World): Operations {
  const removed = async () => {
    const it = await waiting()
    sure(204, await app.contributor.delete(`/cidoc/persons/${it.id}/`))
    return it
  }
  const record = (id: number) => `/cidoc/persons/${id}/`
  const entity = (id: string, rest = '') => `/data/cultural-entities/${id}/${rest}`
  const by = { who: app.contributor }
  return {
    ...both('/cidoc/{segment}/{id}/', async () => ({
      ...{ ...by, path: record((await waiting()).id), body: { name: named('Other') } },
    })),
    'DELETE /cidoc/{segment}/{id}/': async () => ({ ...by, path: record((await waiting()).id) }),
    'POST /cidoc/{segment}/{id}/restore/': async () => ({
      ...{ who: app.staff, path: `${record((await removed()).id)}restore/` },
    }),
    'PATCH /cidoc/assertions/{id}/': async () => {
      const about = { entity_type: 'person', entity_id: accepted.id, property: 'note', value: named('Note') }
      const { id } = sure(201, await app.other.post('/cidoc/assertions/', { body: about }))
      return { who: app.curator, path: `/cidoc/assertions/${id}/`, body: { reconciliation_status: 'accepted' } }
    },
    ...both('/data/cultural-entities/{entity_id}/', async () => ({
      ...{ ...by, path: entity((await waiting()).cultural_entity_id), body: { name: named('Other') } },
    })),
    'DELETE /data/cultural-entities/{entity_id}/': async () => ({
      ...{ ...by, path: entity((await waiting()).cultural_entity_id) },
    }),
    'POST /data/cultural-entities/{entity_id}/restore/': async () => ({
      ...{ who: app.staff, path: entity((await removed()).cultural_entity_id, 'restore/') },
    }),
    'POST /data/cultural-entities/{entity_id}/submit_for_review/': async () => {
      const { cultural_entity_id } = await waiting()
      await asDraft(cultural_entity_id)
      return { ...by, path: entity(cultural_entity_id, 'submit_for_review/') }
    },
  }
}

/** Gives a record the status of old drafts, which no endpoint makes any more. */
async function asDraft(id: string): Promise<void> {
  const { loadRecordById } = await import('../../lib/domain/records/load.ts')
  const { recordItem, recordItemOf } = await import('../../lib/domain/records/items.ts')
  const { queueWrites } = await import('../../lib/domain/records/queue-entry.ts')
  const { withNextVersion, put } = await import('../../lib/engines/table/item.ts')
  const { transact } = await import('../../lib/engines/table/transact.ts')
  const found = await loadRecordById(id)
  if (!found) throw new Error(`no record ${id}`)
  const old = recordItemOf(found)
  const next = withNextVersion<typeof old>(old, { status: 'draft' })
  await transact([put(recordItem, next, old), ...queueWrites(old, next)])
}

function changingSources({ app }: World): Operations {
  const source = async () =>
    sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: named('B') } }))
  const place = async () => `/cidoc/data_sources/${(await source()).id}/`
  const cluster = async (body: object = {}) => {
    const label = { canonical_label: named('Same'), type_scope: 'person' }
    const { id, version } = sure(
      201,
      await app.curator.post('/cidoc/entity-clusters/', { body: { ...label, ...body } }),
    )
    return { who: app.curator, path: `/cidoc/entity-clusters/${id}/`, expected_version: version }
  }
  const lock = async (verb: string, locked: boolean) => {
    const { path, expected_version, who } = await cluster({ locked })
    return { who, path: `${path}${verb}/`, body: { reason: 'So it is.', expected_version } }
  }
  return {
    ...both('/cidoc/data_sources/{id}/', async () => ({
      ...{ who: app.contributor, path: await place(), body: { name: named('Other book') } },
    })),
    'DELETE /cidoc/data_sources/{id}/': async () => ({ who: app.contributor, path: await place() }),
    'POST /cidoc/data_sources/{id}/restore/': async () => {
      const path = await place()
      sure(204, await app.contributor.delete(path))
      return { who: app.staff, path: `${path}restore/` }
    },
    ...both('/cidoc/entity-clusters/{id}/', async () => {
      const { expected_version, ...asked } = await cluster()
      return { ...asked, body: { canonical_label: named('Other'), type_scope: 'person', expected_version } }
    }),
    'POST /cidoc/entity-clusters/{id}/lock/': () => lock('lock', false),
    'POST /cidoc/entity-clusters/{id}/unlock/': () => lock('unlock', true),
    'POST /cidoc/entity-clusters/{id}/merge/': async () => {
      const [{ path, expected_version, who }, source] = [await cluster(), await cluster()]
      const source_cluster_id = source.path.split('/').at(-2)
      return { who, path: `${path}merge/`, body: { source_cluster_id, reason: 'One person.', expected_version } }
    },
    'POST /cidoc/entity-clusters/{id}/split/': async () => {
      const people = [1, 2].map(() => contribute(app.curator, 'persons', { name: named('Member') }))
      const ids = (await Promise.all(people)).map(({ id }) => id)
      const members = ids.map((entity_id) => ({ entity_type: 'person', entity_id }))
      const { path, expected_version, who } = await cluster({ members })
      return { who, path: `${path}split/`, body: { groups: ids.map((id) => [id]), reason: 'Two.', expected_version } }
    },
    'POST /merge-requests/': async () => {
      const slug = await projectIn(app, 'draft', [
        await contribute(app.contributor, 'persons', { name: named('Sent') }),
      ])
      const { id } = sure(200, await app.contributor.get(`/data/projects/${slug}/`))
      return { who: app.contributor, path: '/merge-requests/', body: { project: id, summary: 'One person' } }
    },
    ...Object.fromEntries(
      ['approve', 'reject', 'request-changes'].map((verb) => [
        `POST /merge-requests/{id}/${verb}/`,
        async () => {
          const it = await contribute(app.contributor, 'persons', { name: named('Asked') })
          const slug = await projectIn(app, 'in_review', [it])
          const { id } = sure(200, await app.contributor.get(`/data/projects/${slug}/`))
          return { who: app.curator, path: `/merge-requests/${id}/${verb}/`, body: { reviewer_note: 'Seen.' } }
        },
      ]),
    ),
    'POST /cidoc/identity-candidates/{id}/resolve/': async () => ({
      who: app.curator,
      path: `/cidoc/identity-candidates/${(await lookAlikes(app)).id}/resolve/`,
      body: { resolution: 'reject' },
    }),
  }
}

function changingComments({ app, thread, comment, project }: World): Operations {
  const by = { who: app.contributor }
  const inThread = async () => `${thread}${(await comment()).id}/`
  const flat = async () => `/data/comments/${(await comment()).id}/`
  const inProject = async () => {
    const path = at(await project(), 'comments/')
    return `${path}${sure(201, await app.contributor.post(path, { body: { comment: 'So far.' } })).comment_id}/`
  }
  const changed = (route: string, place: () => Promise<string>): Operations => ({
    ...both(route, async () => ({ ...by, path: await place(), body: { comment: named('Better') } })),
    [`DELETE ${route}`]: async () => ({ ...by, path: await place() }),
  })
  return {
    ...changed('/data/entities/{entity_id}/comments/{id}/', inThread),
    ...changed('/data/comments/{id}/', flat),
    ...changed('/data/projects/{slug}/comments/{id}/', inProject),
  }
}

function changingProjects({ app, waiting, project }: World): Operations {
  const by = { who: app.contributor }
  const approved = async () => projectIn(app, 'approved', [await waiting(), await waiting()])
  return {
    ...both('/data/projects/{slug}/', async () => ({ ...by, path: at(await project()), body: { title: named('T') } })),
    'DELETE /data/projects/{slug}/': async () => ({ ...by, path: at(await project()) }),
    'POST /data/projects/{slug}/transition/': async () => ({
      ...{ who: app.domain, path: at(await approved(), 'transition/'), body: { target_state: 'merged' } },
    }),
    'POST /data/projects/{slug}/rollback-merge/': async () => ({
      ...{ who: app.domain, path: at(await projectIn(app, 'merged', [await waiting()]), 'rollback-merge/') },
    }),
  }
}

function changingParts({ app, accepted, project, image }: World): Operations {
  const by = { who: app.contributor }
  const part = (list: string, body: object) => async () => {
    const path = at(await project(), list)
    return `${path}${sure(201, await app.contributor.post(path, { body })).id}/`
  }
  const member = part('memberships/', { username: 'other' })
  const linked = part('entities/', { entity: accepted.cultural_entity_id })
  const asset = async (rest = '') => {
    const slug = await project()
    return at(slug, `assets/${await addAsset(slug)}/${rest}`)
  }
  return {
    ...both('/data/projects/{slug}/memberships/{id}/', async () => ({
      ...{ ...by, path: await member(), body: { role: 'viewer' } },
    })),
    'DELETE /data/projects/{slug}/memberships/{id}/': async () => ({ ...by, path: await member() }),
    ...both('/data/projects/{slug}/entities/{id}/', async () => ({
      ...{ ...by, path: await linked(), body: { role_in_project: 'subject' } },
    })),
    'DELETE /data/projects/{slug}/entities/{id}/': async () => ({ ...by, path: await linked() }),
    'PATCH /data/projects/{slug}/assets/{id}/': async () => ({
      ...{ ...by, path: await asset(), body: { caption: 'West gate' } },
    }),
    'DELETE /data/projects/{slug}/assets/{id}/': async () => ({ ...by, path: await asset() }),
    'POST /data/projects/{slug}/assets/{id}/start-ocr/': async () => ({ ...by, path: await asset('start-ocr/') }),
    'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/': async () => {
      const uploads = at(await project(), 'assets/uploads/')
      const file = image().get('file')
      if (!(file instanceof File)) throw new Error('no file')
      const bytes = new Uint8Array(await file.arrayBuffer())
      const announced = { file_name: 'gate.png', size: bytes.length }
      const { asset_id, upload } = sure(201, await app.contributor.post(uploads, { body: announced }))
      await send(upload, bytes)
      return { ...by, path: `${uploads}${asset_id}/complete/`, body: {} }
    },
  }
}

function changingReviews({ app, waiting, flag }: World): Operations {
  const flagged = async () => {
    const { id } = sure(201, await app.curator.post('/data/review-flags/', { body: await flag() }))
    return `/data/review-flags/${id}/`
  }
  const queued = async (rest: string) => `/data/review-queue/${(await waiting()).cultural_entity_id}/${rest}`
  const suggested = async (verb: string) => {
    const body = { submission: (await submit('dev')).submission_id, title: 'New', description: 'Better.' }
    const { id } = sure(201, await app.other.post('/data/submission-suggestions/', { body }))
    return { who: app.curator, path: `/data/submission-suggestions/${id}/${verb}/` }
  }
  return {
    ...both('/data/review-flags/{id}/', async () => ({
      ...{ who: app.curator, path: await flagged(), body: { flag_type: 'other', reason: 'Again.' } },
    })),
    'DELETE /data/review-flags/{id}/': async () => ({ who: app.curator, path: await flagged() }),
    'POST /data/review-flags/{id}/resolve/': async () => ({ who: app.curator, path: `${await flagged()}resolve/` }),
    'POST /data/review-queue/{entity_id}/claim/': async () => ({ who: app.curator, path: await queued('claim/') }),
    'POST /data/review-queue/{entity_id}/release/': async () => {
      const path = await queued('')
      sure(200, await app.curator.post(`${path}claim/`))
      return { who: app.curator, path: `${path}release/` }
    },
    'POST /data/contribution-queue/{entity_id}/moderate/': async () => ({
      ...{ who: app.staff, body: { action: 'accept' } },
      path: `/data/contribution-queue/${(await waiting()).cultural_entity_id}/moderate/`,
    }),
    ...both('/data/moderations/{id}/', async () => ({
      ...{ who: app.staff, body: { status: 'review', comment: 'Seen.' } },
      path: `/data/moderations/${(await submit('dev')).submission_id}/`,
    })),
    'POST /data/submission-suggestions/{id}/approve/': () => suggested('approve'),
    'POST /data/submission-suggestions/{id}/reject/': () => suggested('reject'),
  }
}

function changingRoles({ app, role, someone }: World): Operations {
  const roles = '/data/reviewer-roles/'
  const given = async () => {
    const { who, path, body } = await role(roles)
    return `${path}${sure(201, await who.post(path, { body })).id}/`
  }
  const applied = async (verb: string) => {
    const { who } = await someone()
    const { id } = sure(201, await who.post('/data/reviewer-applications/', { body: { message: 'I know the town.' } }))
    return { who: app.curator, path: `/data/reviewer-applications/${id}/${verb}/`, body: {} }
  }
  return {
    ...both(`${roles}{id}/`, async () => ({ who: app.staff, path: await given(), body: { role: 'domain_expert' } })),
    [`DELETE ${roles}{id}/`]: async () => ({ who: app.staff, path: await given() }),
    'POST /data/reviewer-applications/{id}/approve/': () => applied('approve'),
    'POST /data/reviewer-applications/{id}/reject/': () => applied('reject'),
    'POST /data/reviewer-applications/mine/withdraw/': async () => {
      const { who } = await someone()
      sure(201, await who.post('/data/reviewer-applications/', { body: { message: 'I know the town.' } }))
      return { who, path: '/data/reviewer-applications/mine/withdraw/' }
    },
  }
}

function changingPeople({ app, someone, infoOf, image }: World): Operations {
  const account = () => {
    const username = `new-${++names}`
    return { username, email: `${username}@example.org`, password: 'correct horse battery' }
  }
  const own = async () => {
    const { who } = await someone()
    return { who, path: `/data/user/${(await infoOf(who)).id}/`, body: { biography: named('Born') } }
  }
  const inLetter = async (what: 'stop' | 'confirm') => {
    const { who } = await someone()
    sure(200, await who.put('/data/notifications/letters/', { body: { mode: 'at_once' } }))
    const [{ id, email }, { confirmLink, stopLink }] = await Promise.all([
      infoOf(who),
      import('../../lib/doors/letters/links.ts'),
    ])
    const link = what === 'stop' ? stopLink('http://localhost', id) : confirmLink('http://localhost', id, email)
    const { pathname, search } = new URL(link)
    return { who: app.anon, path: pathname + search, body: {} }
  }
  const portrait = () => {
    const body = new FormData()
    const file = image().get('file')
    if (file) body.set('profile_image', file)
    return body
  }
  const link = async (
    make: (links: typeof import('../../lib/doors/letters/links.ts'), id: string, email: string) => string,
  ) => {
    const { who } = await someone()
    const [{ id, email }, links] = await Promise.all([infoOf(who), import('../../lib/doors/letters/links.ts')])
    const { pathname, search } = new URL(make(links, id, email))
    return pathname + search
  }
  const moderated = async (verb: string, body: object) => {
    const { id } = await infoOf((await someone()).who)
    return { who: app.staff, path: `/data/platform-admin/users/${id}/${verb}/`, body }
  }
  const closed = async () => {
    const asked = await moderated('activate', {})
    sure(200, await app.staff.post(asked.path.replace('activate', 'deactivate'), { body: { reason: 'Spam.' } }))
    return asked
  }
  const PASSWORD = 'correct horse battery'
  return {
    'DELETE /data/user/me/': async () => ({
      who: (await someone()).who,
      path: '/data/user/me/',
      body: { password: PASSWORD, contributions: 'remove' },
    }),
    'DELETE /data/platform-admin/users/{id}/': async () => {
      const { id } = await infoOf((await someone()).who)
      return { who: app.staff, path: `/data/platform-admin/users/${id}/`, body: {} }
    },
    'POST /data/user/me/export/': async () => ({ who: (await someone()).who, path: '/data/user/me/export/' }),
    'POST /data/platform-admin/users/{id}/link/': () => {
      names += 1
      return moderated('link', { provider: 'idp', subject: `subject-${names}` })
    },
    'POST /data/platform-admin/users/{id}/deactivate/': () => moderated('deactivate', { reason: 'Spam.' }),
    'POST /data/platform-admin/users/{id}/activate/': closed,
    'POST /api/password/reset/': () => {
      names += 1
      return { who: app.anon, path: '/api/password/reset/', body: { email: `asked-${names}@example.org` } }
    },
    'POST /api/password/set/': async () => ({
      who: app.anon,
      path: await link(({ passwordLink }, id) => passwordLink('http://localhost', { id, token_generation: 1 })),
      body: { password: 'Bells-in-the-evening-4' },
    }),
    'PUT /api/user/password/': async () => ({
      who: (await someone()).who,
      path: '/api/user/password/',
      body: { old_password: PASSWORD, password: 'Bells-in-the-evening-4' },
    }),
    'POST /api/user/address/': async () => ({
      who: (await someone()).who,
      path: '/api/user/address/',
      body: { email: `moved-${++names}@example.org`, password: PASSWORD },
    }),
    'POST /api/user/address/verify/': async () => ({ who: (await someone()).who, path: '/api/user/address/verify/' }),
    'POST /api/address/confirm/': async () => ({
      who: app.anon,
      path: await link(({ addressLink }, id, email) => addressLink('http://localhost', { id, ownership: 1 }, email)),
      body: {},
    }),
    'DELETE /api/user/sessions/': async () => ({ who: (await someone()).who, path: '/api/user/sessions/' }),
    'DELETE /api/user/sessions/{id}/': async () => {
      const { who } = await someone()
      const [{ id }] = sure(200, await who.get('/api/user/sessions/')).results
      return { who, path: `/api/user/sessions/${id}/` }
    },
    'POST /api/register/': () => ({ who: app.anon, path: '/api/register/', body: account() }),
    'POST /data/register/': () => ({ who: app.anon, path: '/data/register/', body: account() }),
    'POST /api/token/': async () => {
      const { username, password } = await someone()
      return { who: app.anon, path: '/api/token/', body: { username, password } }
    },
    'POST /api/token/refresh/': async () => ({
      ...{ who: app.anon, path: '/api/token/refresh/', body: { refresh: (await someone()).refresh } },
    }),
    'POST /data/blacklist/': async () => {
      const { who, refresh } = await someone()
      return { who, path: '/data/blacklist/', body: { refresh } }
    },
    'POST /api/dev/login/': () => ({
      ...{ who: app.anon, path: '/api/dev/login/', body: { email: 'dev@heritage.test' } },
    }),
    'POST /api/dev/logout/': () => ({ who: app.anon, path: '/api/dev/logout/' }),
    'POST /data/user/{slug}/': own,
    ...both('/data/user/{slug}/', own),
    ...both('/user/username/', async () => ({
      ...{ who: (await someone()).who, path: '/user/username/', body: { username: `renamed-${++names}` } },
    })),
    'POST /data/user/profile-image/': async () => ({
      ...{ who: (await someone()).who, path: '/data/user/profile-image/', body: portrait() },
    }),
    'DELETE /data/user/profile-image/': async () => {
      const { who } = await someone()
      sure(200, await who.post('/data/user/profile-image/', { body: portrait() }))
      return { who, path: '/data/user/profile-image/' }
    },
    'POST /data/notifications/mark_all_read/': () => ({
      ...{ who: app.contributor, path: '/data/notifications/mark_all_read/' },
    }),
    'PUT /data/notifications/letters/': async () => ({
      ...{ who: (await someone()).who, path: '/data/notifications/letters/', body: { mode: 'daily', language: 'ne' } },
    }),
    'POST /data/notifications/letters/stop/': () => inLetter('stop'),
    'POST /data/notifications/letters/confirm/': () => inLetter('confirm'),
    'POST /data/notifications/mark_read/': () => ({
      ...{ who: app.contributor, path: '/data/notifications/mark_read/', body: { notification_ids: [] } },
    }),
    'POST /cidoc/assist/suggest-field/': () => ({
      ...{ who: app.contributor, path: '/cidoc/assist/suggest-field/' },
      body: { ontology_class: 'structure', field_key: 'note' },
    }),
    'POST /data/oai/': () => ({ who: app.anon, path: '/data/oai/', body: { verb: 'Identify' } }),
    'POST /assistant/chat/': () => ({
      ...{ who: app.anon, path: '/assistant/chat/', body: { messages: [{ role: 'user', content: 'Arniko' }] } },
    }),
  }
}
