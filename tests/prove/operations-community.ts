import { type Base, said, verdict } from './base.ts'
import { at, fileForm, post, type Row } from './operation.ts'
import { SPECK } from './operations-files.ts'
import type { Answer } from './requests.ts'
import type { Step } from './steps.ts'
import { moduleIn } from './world/processes.ts'
import type { World } from './world/world.ts'

/**
 * What people do beside records: forks, organizations, visitors' notes, proposals of things, relationships and schema, identity, tables as
 * jobs, documents, merge requests, links to other collections.
 */

const FORKS = '/data/forks/'
const ORGANIZATIONS = '/data/organizations/'
const NOTES = '/data/public-contributions/'
const THINGS = '/data/entity-proposals/'
const RELATIONSHIPS = '/data/relationship-proposals/'
const SCHEMA = '/data/schema-extension-proposals/'
const REQUESTS = '/merge-requests/'
const DOCUMENTS = '/data/ocr-documents/'
const PARTS = '/data/ocr-chunk-uploads/'
const JOBS = '/data/tabular-import-jobs/'
const LINKS = '/api/reconciled-links/'
const ALERTS = '/api/curator-alerts/'
const CANDIDATES = '/cidoc/identity-candidates/'

/** The id of what a request has made: of the first, unless another is meant. */
const idOf = (made: readonly Answer[], which = 0): string => String(made[which]?.body.id)

const forked = (b: Base) =>
  post('other', FORKS, { entity_id: b.second.cultural_entity_id, changes: { note: 'Of stone' } })
export const judged = (who: string, made: readonly Answer[], verb: string, body?: object) =>
  post(who, `${FORKS}${idOf(made)}/${verb}/`, body)
export const aFork = (b: Base): Step[] => [forked(b)]

export const anOrganization = (): Step[] => [post('dev', ORGANIZATIONS, { name: 'Guthi of the lane' })]
export const joining = (who: string, made: readonly Answer[]) => post(who, `${ORGANIZATIONS}${idOf(made)}/join/`)

const left = {
  entity_name: 'Well of the lane',
  content: 'My uncle carved it.',
  contributor_email: 'maya@visitor.example',
}
export const aNote = (): Step[] => [{ who: null, method: 'POST', path: NOTES, sent: { body: left } }]
const becomesRecord = { status: 'approved', target_type: 'ArchitecturalStructure' }
export const reviewed = (who: string, made: readonly Answer[], body: object = becomesRecord) =>
  post(who, `${NOTES}${idOf(made)}/review/`, body)

const thing = { canonical_label: 'Dattatreya', type_scope: 'structure' }
const relationship = (b: Base) => ({
  predicate: 'near',
  subject_entity_type: 'structure',
  subject_entity_id: b.open.id,
  object_entity_type: 'structure',
  object_entity_id: b.third.id,
})
const extension = (proposed_yaml: string) => ({ title: 'Let it grow', proposed_yaml })
const LIVE = 'enums: { GuthiTypeEnum: { permissible_values: [DhungaGuthi] } }\n'

/** A draft that its author submits. */
const submitted = (place: string, body: unknown): Step[] => [
  post('dev', place, body),
  (made) => post('dev', `${place}${idOf(made)}/submit/`),
]
export const aThing = (): Step[] => submitted(THINGS, thing)
export const aRelationship = (b: Base): Step[] => submitted(RELATIONSHIPS, relationship(b))
const anExtension = (): Step[] => submitted(SCHEMA, extension(LIVE))
export const anApprovedExtension = (): Step[] => [
  ...anExtension(),
  (made) => post('expert', `${SCHEMA}${idOf(made)}/approve/`, {}),
]
export const onThing = (who: string, made: readonly Answer[], verb: string, body: object = { comment: 'Good.' }) =>
  post(who, `${THINGS}${idOf(made)}/${verb}/`, body)
export const onRelationship = (who: string, made: readonly Answer[], verb: string) =>
  post(who, `${RELATIONSHIPS}${idOf(made)}/${verb}/`, { comment: 'Good.' })
export const onSchema = (who: string, made: readonly Answer[], verb: string) =>
  post(who, `${SCHEMA}${idOf(made)}/${verb}/`, {})

/** A project that is complete has been sent in. Its id is in the first answer, that of the request in the second. */
export const aRequest = (b: Base): Step[] => [
  { who: 'dev', method: 'GET', path: at(b.projects.ready) },
  (made) => post('dev', REQUESTS, { project: idOf(made), summary: 'Adds a tradition' }),
]
export const onRequest = (who: string, made: readonly Answer[], verb: string) =>
  post(who, `${REQUESTS}${idOf(made, 1)}/${verb}/`, { reviewer_note: 'Seen.' })

/** Somebody contributes what looks like another's record, so that it is asked whether both are one. The question is in the last answer. */
export const aCandidate = (): Step[] => [
  post('other', '/cidoc/structures/', { name: 'Nyatapola', coordinates: '27.6713, 85.4293', assertion: said }),
  heard,
  post('curator', '/cidoc/entity-clusters/', { canonical_label: 'Nyatapola', type_scope: 'structure' }),
  { who: 'curator', method: 'GET', path: CANDIDATES },
]
export const resolving = (who: string, made: readonly Answer[], resolution: string) =>
  post(who, `${CANDIDATES}${made.at(-1)?.body.results[0]?.id}/resolve/`, {
    resolution,
    ...(resolution === 'accept' && { target_cluster_id: made.at(-2)?.body.id }),
  })

/** What follows of what was done has been heard. */
const heard: Step = {
  does: async (world) => {
    while (await world.time.until(world.deliver()));
  },
}

/** A scanned document that a worker has read. Its id is in the first answer. */
export const aDocument = (): Step[] => [
  post('dev', `${DOCUMENTS}upload/`, fileForm(SPECK, 'page.png', 'image/png', { standalone_ingestion: 'true' })),
  { does: (world, made) => readPage(world, made[0]) },
]
export const onDocument = (method: string, made: readonly Answer[], verb: string, body?: object) => ({
  who: 'dev',
  method,
  path: `${DOCUMENTS}${made[0]?.body.uploaded_document_id}/${verb}/`,
  sent: body ? { body } : {},
})
const corrected = { block_corrections: { '0_0': { corrected_text: 'Patan' } } }
/** Its sender has said which record it tells of. */
export const aReviewedDocument = (): Step[] => [
  ...aDocument(),
  (made) =>
    onDocument('PATCH', made, 'review-state', {
      field_decisions: { name: { edited_value: 'Gokarna', block: '0_0' } },
      ontology_handoff_key: 'structure',
    }),
]

/** Stores what a worker would read of the page. */
async function readPage(world: World, made: Answer | undefined): Promise<void> {
  const { beginReading, finishReading } = await moduleIn(0, 'lib/domain/scans/reading.ts')
  const words = ['Golden', 'Gate'].map((text, i) => ({ text, confidence: 0.9, box: [i * 50, 0, i * 50 + 40, 20] }))
  const pages = [{ width: 100, height: 20, confidence: 0.9, lines: [words] }]
  await world.run({ name: 'a reader', process: 0 }, async () =>
    finishReading(await beginReading(made?.body.uploaded_document_id), {
      text: 'Golden Gate',
      confidence: 0.9,
      pages,
      isDigital: false,
    }),
  )
}

/** An address to which a record leads is gone. The link is in the first answer, with the id of its alert. */
export const anAlert = (b: Base): Step[] => [
  post('reviewer', LINKS, { entity_uri: b.second.cultural_entity_id, target_uri: 'https://example.org/moved' }),
  verdict(b.second, { verdict: 'accept' }),
  heard,
  { does: (world, made) => alertOn(world, made[0]) },
]
export const onAlert = (who: string, made: readonly Answer[], verb: string) =>
  post(who, `${ALERTS}${made[0]?.body.alert}/${verb}/`)

/** Stores the alert that the weekly look at links would make. */
async function alertOn(world: World, made: Answer | undefined): Promise<void> {
  const [{ curatorAlert, reconciledLink, alertIdOf }, { commitWrites }, { get, put }, { now }] = await Promise.all(
    [
      'lib/domain/alerts/items.ts',
      'lib/engines/table/immediate.ts',
      'lib/engines/table/index.ts',
      'lib/base/clock.ts',
    ].map((path) => moduleIn(0, path)),
  )
  await world.run({ name: 'a look at links', process: 0 }, async () => {
    const link = await get(reconciledLink, { id: made?.body.id })
    const id = alertIdOf(link.id, 'stale_link')
    const about = { id, link_id: link.id, entity_id: link.entity_id, issue_type: 'stale_link', detail: 'It is gone.' }
    const open = { status: 'open', resolved_at: null, resolved_by: null, suggested_replacement_uri: null }
    await commitWrites([put(curatorAlert, { ...about, ...open, detected_at: now(), created_at: now(), version: 1 })])
    if (made) made.body.alert = id
  })
}

const rows = () => fileForm(Buffer.from('Name,Type\nGokarna,Temple\n'), 'rows.csv', 'text/csv')
const announced = { filename: 'page.png', byte_size: 6, media_type: 'image' }
const part = () => fileForm(Buffer.from('abcdef'), 'part.bin', 'application/octet-stream', {}, 'chunk')
export const communityRows: readonly Row[] = [
  [
    'fork',
    201,
    'other',
    'POST',
    () => FORKS,
    (b) => ({ entity_id: b.second.cultural_entity_id, changes: { note: 'Of stone' } }),
  ],
  ['merge a fork', 200, 'expert', 'POST', (_, made) => `${FORKS}${idOf(made)}/merge/`, () => ({}), aFork],
  ['promote a fork', 200, 'expert', 'POST', (_, made) => `${FORKS}${idOf(made)}/promote/`, undefined, aFork],
  [
    'turn a fork down',
    200,
    'expert',
    'POST',
    (_, made) => `${FORKS}${idOf(made)}/reject/`,
    () => ({ reason: 'No.' }),
    aFork,
  ],

  ['found an organization', 201, 'dev', 'POST', () => ORGANIZATIONS, () => ({ name: 'Guthi of the lane' })],
  [
    'join an organization',
    201,
    'other',
    'POST',
    (_, made) => `${ORGANIZATIONS}${idOf(made)}/join/`,
    undefined,
    anOrganization,
  ],
  [
    'leave an organization',
    200,
    'other',
    'POST',
    (_, made) => `${ORGANIZATIONS}${idOf(made)}/leave/`,
    undefined,
    () => [...anOrganization(), (made) => joining('other', made)],
  ],
  [
    'delete an organization',
    204,
    'dev',
    'DELETE',
    (_, made) => `${ORGANIZATIONS}${idOf(made)}/`,
    undefined,
    anOrganization,
  ],

  ['leave a note', 201, null, 'POST', () => NOTES, () => left, undefined, { keyless: true }],
  [
    'make a record of a note',
    200,
    'reviewer',
    'POST',
    (_, made) => `${NOTES}${idOf(made)}/review/`,
    () => becomesRecord,
    aNote,
  ],
  [
    'make a note a claim',
    200,
    'reviewer',
    'POST',
    (_, made) => `${NOTES}${idOf(made)}/review/`,
    (b) => ({ status: 'incorporated', link_to_entity_id: b.open.cultural_entity_id }),
    aNote,
  ],

  ['propose a thing', 201, 'dev', 'POST', () => THINGS, () => thing],
  [
    'submit a thing',
    200,
    'dev',
    'POST',
    (_, made) => `${THINGS}${idOf(made)}/submit/`,
    undefined,
    () => [post('dev', THINGS, thing)],
  ],
  [
    'approve a thing',
    200,
    'expert',
    'POST',
    (_, made) => `${THINGS}${idOf(made)}/approve/`,
    () => ({ comment: '' }),
    aThing,
  ],
  [
    'refuse a thing',
    200,
    'expert',
    'POST',
    (_, made) => `${THINGS}${idOf(made)}/reject/`,
    () => ({ comment: 'No.' }),
    aThing,
  ],
  [
    'approve a relationship',
    200,
    'expert',
    'POST',
    (_, made) => `${RELATIONSHIPS}${idOf(made)}/approve/`,
    () => ({ comment: '' }),
    aRelationship,
  ],
  [
    'refuse a relationship',
    200,
    'expert',
    'POST',
    (_, made) => `${RELATIONSHIPS}${idOf(made)}/reject/`,
    () => ({ comment: 'No.' }),
    aRelationship,
  ],

  [
    'submit an extension',
    200,
    'dev',
    'POST',
    (_, made) => `${SCHEMA}${idOf(made)}/submit/`,
    undefined,
    () => [post('dev', SCHEMA, extension(LIVE))],
  ],
  [
    'approve an extension',
    200,
    'expert',
    'POST',
    (_, made) => `${SCHEMA}${idOf(made)}/approve/`,
    () => ({}),
    anExtension,
  ],
  [
    'publish an extension',
    200,
    'expert',
    'POST',
    (_, made) => `${SCHEMA}${idOf(made)}/publish/`,
    undefined,
    anApprovedExtension,
  ],
  [
    'publish what takes a release',
    400,
    'expert',
    'POST',
    (_, made) => `${SCHEMA}${idOf(made)}/publish/`,
    undefined,
    () => [
      ...submitted(SCHEMA, extension('classes: { Sattal: {} }\n')),
      (made) => post('expert', `${SCHEMA}${idOf(made)}/approve/`, {}),
    ],
    { changes: false },
  ],

  [
    'open a merge request',
    201,
    'dev',
    'POST',
    () => REQUESTS,
    (_, made) => ({ project: idOf(made), summary: 'Adds a tradition' }),
    (b) => [{ who: 'dev', method: 'GET', path: at(b.projects.ready) }],
  ],
  [
    'ask for changes of a project',
    200,
    'expert',
    'POST',
    (_, made) => `${REQUESTS}${idOf(made, 1)}/request-changes/`,
    () => ({ reviewer_note: 'Name it.' }),
    aRequest,
  ],
  [
    'refuse a project',
    200,
    'expert',
    'POST',
    (_, made) => `${REQUESTS}${idOf(made, 1)}/reject/`,
    () => ({ reviewer_note: 'No.' }),
    aRequest,
  ],

  ['send a table as a job', 201, 'dev', 'POST', () => JOBS, rows],
  [
    'change a job',
    200,
    'dev',
    'PATCH',
    (_, made) => `${JOBS}${idOf(made)}/`,
    () => ({ provenance: { source_institution: 'Museum' } }),
    () => [post('dev', JOBS, rows())],
  ],
  ['announce a document', 201, 'dev', 'POST', () => PARTS, () => announced],
  [
    'send a part',
    200,
    'dev',
    'POST',
    (_, made) => `${PARTS}${idOf(made)}/append/`,
    part,
    () => [post('dev', PARTS, announced)],
  ],
  [
    'put parts together',
    201,
    'dev',
    'POST',
    (_, made) => `${PARTS}${idOf(made)}/complete/`,
    undefined,
    () => [post('dev', PARTS, announced), (made) => post('dev', `${PARTS}${idOf(made)}/append/`, part())],
  ],
  [
    'correct a document',
    200,
    'dev',
    'PATCH',
    (_, made) => onDocument('PATCH', made, 'review-state').path,
    () => corrected,
    aDocument,
  ],
  [
    'end the review of a document',
    200,
    'dev',
    'POST',
    (_, made) => onDocument('POST', made, 'finalize-review').path,
    undefined,
    aReviewedDocument,
  ],
  ['resolve an alert', 200, 'expert', 'POST', (_, made) => onAlert('expert', made, 'resolve').path, undefined, anAlert],
  ['ignore an alert', 200, 'expert', 'POST', (_, made) => onAlert('expert', made, 'ignore').path, undefined, anAlert],
  ['list documents', 200, 'dev', 'GET', () => DOCUMENTS, undefined, undefined, { changes: false }],

  [
    'add a link',
    201,
    'reviewer',
    'POST',
    () => LINKS,
    (b) => ({ entity_uri: b.second.cultural_entity_id, target_uri: 'https://example.org/dattatreya' }),
  ],
  [
    'pass a record on',
    201,
    null,
    'POST',
    () => '/data/shares/',
    (b) => ({ entity_id: b.open.cultural_entity_id, platform: 'email' }),
    undefined,
    { keyless: true },
  ],
]
