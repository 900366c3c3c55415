import type { App } from './app.ts'
import { fileOf, form } from './asset-world.ts'
import { alertOn, contribute, LINKED, publish, sure } from './make.ts'
import type { Asked, Operations } from './operations.ts'
import { at, projectIn } from './projects.ts'

const withdrawn = { standing: 'withdrawn', reason: 'Its author has taken it back.' }

/** Requests for what people do beside records: organizations, notes, documents, tables as jobs, proposals, watches, merge requests. */
export type BesideWorld = {
  app: App
  named: (what: string) => string
  photograph: Buffer
  someone: () => Promise<{ who: App['contributor']; username: string }>
}

const ORGANIZATIONS = '/data/organizations/'
const DOCUMENTS = '/data/ocr-documents/'
const PARTS = '/data/ocr-chunk-uploads/'
const THINGS = '/data/entity-proposals/'
const RELATIONSHIPS = '/data/relationship-proposals/'
const PROPOSALS = '/data/schema-extension-proposals/'

/** Those that make something, and take an `Idempotency-Key`. */
export function makingBeside(world: BesideWorld): Operations {
  const { app, named, photograph } = world
  return {
    'POST /api/reconciled-links/': async () => ({
      who: app.community,
      path: '/api/reconciled-links/',
      body: {
        entity_uri: (await publish(app, 'persons', { name: named('Arniko') })).cultural_entity_id,
        target_uri: LINKED,
      },
    }),
    'POST /data/organizations/': () => ({ who: app.contributor, path: ORGANIZATIONS, body: { name: named('Guthi') } }),
    'POST /data/organizations/{id}/join/': async () => ({
      who: (await world.someone()).who,
      path: `${ORGANIZATIONS}${await organization(world)}/join/`,
    }),
    'POST /data/schema-extension-proposals/': () => ({
      who: app.contributor,
      path: PROPOSALS,
      body: proposal(named('Sattal')),
    }),
    'POST /data/entity-proposals/': () => ({
      who: app.contributor,
      path: THINGS,
      body: { canonical_label: named('Mandap'), type_scope: 'structure' },
    }),
    'POST /data/relationship-proposals/': () => ({
      who: app.contributor,
      path: RELATIONSHIPS,
      body: { predicate: 'near' },
    }),
    'POST /data/ocr-documents/upload/': () => ({
      who: app.contributor,
      path: `${DOCUMENTS}upload/`,
      body: form({ file: fileOf(photograph, 'page.png'), standalone_ingestion: 'true' }),
    }),
    'POST /data/ocr-chunk-uploads/': () => ({ who: app.contributor, path: PARTS, body: announced(photograph) }),
    'POST /data/ocr-chunk-uploads/{id}/complete/': async () => {
      const path = `${PARTS}${await partsOf(world)}/`
      sure(200, await app.contributor.post(`${path}append/`, { body: form({ chunk: fileOf(photograph, 'part.bin') }) }))
      return { who: app.contributor, path: `${path}complete/` }
    },
    'POST /data/tabular-import-jobs/': () => ({
      who: app.contributor,
      path: '/data/tabular-import-jobs/',
      body: table(named('Well')),
    }),
    'POST /data/watches/': async () => ({
      who: (await world.someone()).who,
      path: '/data/watches/',
      body: { what: 'search', about: named('wells') },
    }),
    'POST /data/citations/': () => ({
      who: app.contributor,
      path: '/data/citations/',
      body: { of: '/cidoc/structures/' },
    }),
    'POST /data/forks/': async () => ({
      who: app.other,
      path: '/data/forks/',
      body: { entity_id: await forkable(world), changes: { note: named('Of stone') } },
    }),
    'POST /merge-requests/': async () => ({
      who: app.contributor,
      path: '/merge-requests/',
      body: {
        project: await projectWith(world, 'draft'),
        summary: 'Adds a person',
        justification: 'Surveyed.',
        scope: 'whole',
      },
    }),
  }
}

/** Those that change something. */
export function changingBeside(world: BesideWorld): Operations {
  return {
    ...changingOrganizations(world),
    ...changingDocuments(world),
    ...changingProposals(world),
    ...changingThings(world),
    ...changingLinks(world),
    ...others(world),
  }
}

function changingOrganizations(world: BesideWorld): Operations {
  const { app, named } = world
  const own = async (rest = '', body?: object): Promise<Asked> => ({
    who: app.contributor,
    path: `${ORGANIZATIONS}${await organization(world)}/${rest}`,
    ...(body && { body }),
  })
  const withMember = async () => {
    const id = await organization(world)
    const { who } = await world.someone()
    sure(201, await who.post(`${ORGANIZATIONS}${id}/join/`))
    return { id, who, user: sure(200, await who.get('/api/user/info/')).id }
  }
  return {
    'PUT /data/organizations/{id}/': () => own('', { name: named('Guthi') }),
    'PATCH /data/organizations/{id}/': () => own('', { description: named('Of') }),
    'DELETE /data/organizations/{id}/': () => own(),
    'POST /data/organizations/{id}/leave/': async () => {
      const { id, who } = await withMember()
      return { who, path: `${ORGANIZATIONS}${id}/leave/` }
    },
    'PATCH /data/organizations/{id}/members/{user_id}/': async () => {
      const { id, user } = await withMember()
      return { who: app.contributor, path: `${ORGANIZATIONS}${id}/members/${user}/`, body: { role: 'editor' } }
    },
    'DELETE /data/organizations/{id}/members/{user_id}/': async () => {
      const { id, user } = await withMember()
      return { who: app.contributor, path: `${ORGANIZATIONS}${id}/members/${user}/` }
    },
  }
}

function changingDocuments(world: BesideWorld): Operations {
  const { app, photograph } = world
  const read = async (rest: string, body?: object): Promise<Asked> => ({
    who: app.contributor,
    path: `${DOCUMENTS}${await documentThat(world, 'is read')}/${rest}`,
    ...(body && { body }),
  })
  return {
    'POST /data/ocr-chunk-uploads/{id}/append/': async () => ({
      who: app.contributor,
      path: `${PARTS}${await partsOf(world)}/append/`,
      body: form({ chunk: fileOf(photograph, 'part.bin') }),
    }),
    'POST /data/ocr-documents/{id}/retry/': async () => ({
      who: app.contributor,
      path: `${DOCUMENTS}${await documentThat(world, 'failed')}/retry/`,
    }),
    'POST /data/ocr-documents/{id}/run-pipeline/': () => read('run-pipeline/'),
    'POST /data/ocr-documents/{id}/finalize-review/': () => read('finalize-review/'),
    'PATCH /data/ocr-documents/{id}/review-state/': () =>
      read('review-state/', { block_corrections: { '0_0': { corrected_text: 'Patan' } } }),
  }
}

function changingProposals(world: BesideWorld): Operations {
  const { app, named } = world
  const draft = async () =>
    sure(201, await app.contributor.post(PROPOSALS, { body: proposal(named('Sattal')) })).id as string
  const submitted = async () => {
    const id = await draft()
    sure(200, await app.contributor.post(`${PROPOSALS}${id}/submit/`))
    return id
  }
  const step = async (id: Promise<string>, rest: string, who = app.contributor, body?: object): Promise<Asked> => ({
    who,
    path: `${PROPOSALS}${await id}/${rest}`,
    ...(body && { body }),
  })
  return {
    'PATCH /data/schema-extension-proposals/{id}/': () =>
      step(draft(), '', app.contributor, { title: named('Rest house') }),
    'POST /data/schema-extension-proposals/{id}/submit/': () => step(draft(), 'submit/'),
    'POST /data/schema-extension-proposals/{id}/withdraw/': () => step(submitted(), 'withdraw/'),
    'POST /data/schema-extension-proposals/{id}/approve/': () =>
      step(submitted(), 'approve/', app.curator, { comment: 'Good.' }),
    'POST /data/schema-extension-proposals/{id}/publish/': async () => {
      const live = valueOfOpenList(named('Tank'))
      const { id } = sure(201, await app.contributor.post(PROPOSALS, { body: live }))
      sure(200, await app.contributor.post(`${PROPOSALS}${id}/submit/`))
      sure(200, await app.curator.post(`${PROPOSALS}${id}/approve/`, { body: { comment: 'Good.' } }))
      return step(Promise.resolve(id), 'publish/', app.curator, {})
    },
    'POST /data/schema-extension-proposals/{id}/reject/': () =>
      step(submitted(), 'reject/', app.curator, { comment: 'Not yet.' }),
  }
}

/** Links to other collections, and alerts about them. */
function changingLinks({ app, named }: BesideWorld): Operations {
  const made = async () => alertOn(await publish(app, 'persons', { name: named('Arniko'), same_as: [LINKED] }))
  const ofAlert = async (rest: string): Promise<Asked> => ({
    who: app.community,
    path: `/api/curator-alerts/${(await made()).alert}/${rest}/`,
  })
  const ofLink = async (rest: string, body?: object): Promise<Asked> => ({
    who: app.community,
    path: `/api/reconciled-links/${(await made()).link}/${rest && `${rest}/`}`,
    ...(body && { body }),
  })
  return {
    'POST /api/curator-alerts/{id}/resolve/': () => ofAlert('resolve'),
    'POST /api/curator-alerts/{id}/ignore/': () => ofAlert('ignore'),
    'PATCH /api/reconciled-links/{id}/': () => ofLink('', { is_stale: true }),
    'DELETE /api/reconciled-links/{id}/': () => ofLink(''),
    'POST /api/reconciled-links/{id}/mark-stale/': () => ofLink('mark-stale'),
    'POST /api/reconciled-links/{id}/update-target/': () =>
      ofLink('update-target', { target_uri: 'https://example.org/there' }),
  }
}

/** Proposals that something exists, and that two records have a relationship: the same life twice. */
function changingThings({ app, named }: BesideWorld): Operations {
  const draft = {
    [THINGS]: async () => ({ canonical_label: named('Mandap'), type_scope: 'structure' }),
    [RELATIONSHIPS]: async () => {
      const ends = ['One', 'Other'].map((name) => publish(app, 'persons', { name: named(name) }))
      const [subject, object] = await Promise.all(ends)
      return {
        predicate: 'teacher_of',
        ...{ subject_entity_type: 'person', subject_entity_id: subject?.id },
        ...{ object_entity_type: 'person', object_entity_id: object?.id },
      }
    },
  }
  const drafted = async (place: keyof typeof draft): Promise<string> =>
    sure(201, await app.contributor.post(place, { body: await draft[place]() })).id
  const ask = async (place: keyof typeof draft, rest: string, who = app.contributor, body?: object): Promise<Asked> => {
    const id = await drafted(place)
    if (!['', 'submit/'].includes(rest)) sure(200, await app.contributor.post(`${place}${id}/submit/`))
    return { who, path: `${place}${id}/${rest}`, ...(body && { body }) }
  }
  const good = { comment: 'Good.' }
  return {
    'PATCH /data/entity-proposals/{id}/': () => ask(THINGS, '', app.contributor, { canonical_label: named('Sattal') }),
    'POST /data/entity-proposals/{id}/submit/': () => ask(THINGS, 'submit/'),
    'POST /data/entity-proposals/{id}/withdraw/': () => ask(THINGS, 'withdraw/'),
    'POST /data/entity-proposals/{id}/approve/': () => ask(THINGS, 'approve/', app.curator, good),
    'POST /data/entity-proposals/{id}/reject/': () => ask(THINGS, 'reject/', app.curator, good),
    'PATCH /data/relationship-proposals/{id}/': () =>
      ask(RELATIONSHIPS, '', app.contributor, { interpretation_note: named('Letters say so') }),
    'POST /data/relationship-proposals/{id}/submit/': () => ask(RELATIONSHIPS, 'submit/'),
    'POST /data/relationship-proposals/{id}/withdraw/': () => ask(RELATIONSHIPS, 'withdraw/'),
    'POST /data/relationship-proposals/{id}/approve/': () => ask(RELATIONSHIPS, 'approve/', app.curator, good),
    'POST /data/relationship-proposals/{id}/reject/': () => ask(RELATIONSHIPS, 'reject/', app.curator, good),
  }
}

function others(world: BesideWorld): Operations {
  const { app, named } = world
  const labels = { labels: [{ code: 'tk_a' }] }
  const record = () => publish(app, 'persons', { name: named('Arniko') })
  const note = { entity_name: 'Nyatapola', content: 'My uncle carved this window.' }
  const watched = async () => {
    const { who } = await world.someone()
    return { who, ...sure(201, await who.post('/data/watches/', { body: { what: 'search', about: named('wells') } })) }
  }
  const judged = async (verb: string, body?: object): Promise<Asked> => {
    const fork = { entity_id: await forkable(world), changes: { note: named('Of stone') } }
    const { id } = sure(201, await app.other.post('/data/forks/', { body: fork }))
    return { who: app.domain, path: `/data/forks/${id}/${verb}/`, ...(body && { body }) }
  }
  const request = async (verb: string): Promise<Asked> => ({
    who: app.domain,
    path: `/merge-requests/${await projectWith(world, 'in_review')}/${verb}/`,
    body: { reviewer_note: 'Seen.' },
  })
  return {
    'PUT /data/entities/{entity_id}/labels/': async () => ({
      who: app.contributor,
      path: `/data/entities/${(await record()).cultural_entity_id}/labels/`,
      body: labels,
    }),
    'PUT /cidoc/data_sources/{id}/labels/': async () => {
      const body = { name: named('Source') }
      const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body }))
      return { who: app.contributor, path: `/cidoc/data_sources/${id}/labels/`, body: labels }
    },
    'POST /cidoc/data_sources/{id}/question/': async () => {
      const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: named('Book') } }))
      return { who: app.domain, path: `/cidoc/data_sources/${id}/question/`, body: withdrawn }
    },
    'POST /cidoc/data_sources/{id}/question/decide/': async () => {
      const name = named('Fallen')
      const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name } }))
      const assertion = { source_type: 'book', source_citation: name }
      const body = { name: named('Resting'), condition: 'Good', assertion }
      const made = await publish(app, 'structures', body)
      sure(200, await app.domain.post(`/cidoc/data_sources/${id}/question/`, { body: withdrawn }))
      return {
        who: app.domain,
        path: `/cidoc/data_sources/${id}/question/decide/`,
        body: { entity_ids: [made.cultural_entity_id], verdict: 'accept' },
      }
    },
    'POST /data/public-contributions/': () => ({
      who: app.anon,
      path: '/data/public-contributions/',
      body: { ...note, content: named(note.content) },
    }),
    'POST /data/public-contributions/{id}/review/': async () => {
      const body = { ...note, content: named(note.content) }
      const { id } = sure(201, await app.anon.post('/data/public-contributions/', { body }))
      return {
        who: app.community,
        path: `/data/public-contributions/${id}/review/`,
        body: { status: 'rejected', review_notes: 'No.' },
      }
    },
    'POST /data/forks/{id}/merge/': () => judged('merge'),
    'POST /data/forks/{id}/promote/': () => judged('promote'),
    'POST /data/forks/{id}/reject/': () => judged('reject', { reason: 'No source.' }),
    'POST /data/shares/': async () => ({
      who: app.anon,
      path: '/data/shares/',
      body: { entity_id: (await record()).cultural_entity_id, platform: 'copy_link' },
    }),
    'PATCH /data/tabular-import-jobs/{id}/': async () => {
      const { id } = sure(201, await app.contributor.post('/data/tabular-import-jobs/', { body: table(named('Well')) }))
      return {
        who: app.contributor,
        path: `/data/tabular-import-jobs/${id}/`,
        body: { provenance: { source_institution: 'Museum' } },
      }
    },
    'DELETE /data/watches/{id}/': async () => {
      const { who, id } = await watched()
      return { who, path: `/data/watches/${id}/` }
    },
    'POST /data/watches/stop/': async () => {
      const { stop_url } = await watched()
      const { pathname, search } = new URL(stop_url)
      return { who: app.anon, path: pathname + search, body: {} }
    },
    'POST /mcp/': () => ({
      who: app.anon,
      path: '/mcp/',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    }),
    'POST /merge-requests/{id}/approve/': () => request('approve'),
    'POST /merge-requests/{id}/reject/': () => request('reject'),
    'POST /merge-requests/{id}/request-changes/': () => request('request-changes'),
  }
}

const proposal = (name: string) => ({
  title: name,
  proposed_yaml: `classes:\n  ${name.replaceAll(/[^A-Za-z0-9]/g, '')}: {}\n`,
})
/** A proposal that can be published without a release. */
const valueOfOpenList = (name: string) => ({
  title: name,
  proposed_yaml: `enums:\n  StructureTypeEnum:\n    permissible_values:\n      ${name.replaceAll(/[^A-Za-z0-9]/g, '')}: {}\n`,
})
const announced = (bytes: Buffer) => ({ filename: 'page.png', byte_size: bytes.length })
const table = (name: string) => form({ file: new File([`Name\n${name}`], 'table.csv') })

const organization = async ({ app, named }: BesideWorld): Promise<string> =>
  sure(201, await app.contributor.post(ORGANIZATIONS, { body: { name: named('Guthi') } })).id

const partsOf = async ({ app, photograph }: BesideWorld): Promise<string> =>
  sure(201, await app.contributor.post(PARTS, { body: announced(photograph) })).id

/** The id of a new project in this state, with a record that waits. */
async function projectWith({ app, named }: BesideWorld, state: string): Promise<string> {
  const record = await contribute(app.contributor, 'persons', { name: named('Sculptor') })
  const slug = await projectIn(app, state, [record], { visibility: 'public' })
  return sure(200, await app.staff.get(at(slug))).id
}

/**
 * Sends a document, and puts in place what its worker would have come to. Returns its id. Of a running service the worker may be quicker:
 * then another document is sent.
 */
async function documentThat(world: BesideWorld, end: 'is read' | 'failed', attempts = 20): Promise<string> {
  const { app, photograph } = world
  const { beginReading, failReading, finishReading } = await import('../../lib/domain/scans/reading.ts')
  const body = form({ file: fileOf(photograph, 'page.png'), standalone_ingestion: 'true' })
  const id: string = sure(201, await app.contributor.post(`${DOCUMENTS}upload/`, { body })).uploaded_document_id
  const begun = await beginReading(id)
  if (!begun && attempts === 1) throw new Error('the worker of the service reads each document first')
  if (!begun) return documentThat(world, end, attempts - 1)
  const lines = [[{ text: 'Patan', confidence: 0.9, box: [40, 40, 130, 80] as [number, number, number, number] }]]
  const pages = [{ width: 800, height: 600, confidence: 0.9, lines }]
  if (end === 'failed') await failReading(begun, 'The image cannot be read.')
  else await finishReading(begun, { text: 'Patan', confidence: 0.9, pages, isDigital: false })
  return id
}

/** A published record of the contributor, which others fork. */
async function forkable({ app, named }: BesideWorld): Promise<string> {
  return (await publish(app, 'persons', { name: named('Forked'), note: 'Of brick' })).cultural_entity_id
}
