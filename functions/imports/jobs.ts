import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { conflict, invalid, Problem } from '../../lib/base/errors.ts'
import * as s from '../../lib/base/shapes.ts'
import { changeMapping, listImports, loadImport } from '../../lib/domain/imports/imports.ts'
import type { Import } from '../../lib/domain/imports/items.ts'
import {
  amendJob,
  beginJob,
  columnsOf,
  type Job,
  listFaults,
  loadJob,
  loadJobs,
  loadStaged,
  notesOf,
  type StagedTable,
  withColumns,
} from '../../lib/domain/imports/jobs.ts'
import { formatOf, storeSent } from '../../lib/domain/imports/take-in.ts'
import { displayName, memorySource } from '../../lib/engines/media/index.ts'
import { creation, listOf, ok, TooLargeView } from '../../lib/platform/http/answer.ts'
import { line, members, objectOf, orEmpty } from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { fileForm } from '../../lib/platform/http/request.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'

const jobStatuses = ['pending', 'processing', 'ready_review', 'failed'] as const
/** The status of a job, by the state of its import. */
const statusOf = ({ state }: Import): (typeof jobStatuses)[number] =>
  state === 'announced'
    ? 'pending'
    : state === 'uploaded'
      ? 'processing'
      : state === 'failed'
        ? 'failed'
        : 'ready_review'

const Cells = () => v.record(v.string(), s.text)
const JobView = s.shape('TabularImportJob', () =>
  v.object({
    id: s.uuid,
    status: s.oneOf(jobStatuses),
    source_filename: s.text,
    provenance: Cells(),
    column_mapping: Cells(),
    staged_rows: v.array(Cells()),
    row_review_state: v.record(v.string(), v.unknown()),
    validation_errors: v.array(s.text),
    user_safe_error: s.text,
    row_count: s.whole,
    created_at: s.time,
    updated_at: s.time,
  }),
)
const PreviewView = s.shape('TabularImportPreview', () =>
  v.object({
    tabular_job_id: s.uuid,
    mapping: Cells(),
    entities: v.array(
      v.object({
        id: s.text,
        kind: s.text,
        label: s.text,
        entity_type: s.text,
        row_index: v.optional(s.whole),
        cells: v.optional(Cells()),
      }),
    ),
    relations: v.array(v.object({ source: s.text, target: s.text, label: s.text, confidence: v.number() })),
    validation_errors: v.array(s.text),
    row_count: s.whole,
  }),
)

const word = v.pipe(orEmpty(line(300)), v.trim())
const NewJob = members({
  file: v.instance(File, 'Send a file.'),
  source_institution: word,
  collection_name: word,
  language: word,
})
const name = v.pipe(v.string(), v.maxLength(300))
const short = v.nullable(v.pipe(v.string('Not a valid text.'), line(300)))
const NOT_OBJECT = 'Give an object.'
const MOST_NOTES = 100_000
const notes = v.pipe(
  objectOf(v.pipe(v.string(), v.regex(/^\d{1,7}$/, 'Give a number of a row.')), v.unknown(), NOT_OBJECT),
  v.check((it) => JSON.stringify(it).length <= MOST_NOTES, 'This is too much for one job.'),
)
const Changes = members({
  column_mapping: v.exactOptional(objectOf(name, short, NOT_OBJECT)),
  row_review_state: v.exactOptional(notes),
  provenance: v.exactOptional(objectOf(name, short, NOT_OBJECT)),
})

const subject = ({ id }: { id: string }) => loadImport(id)

/** Imports of tables in the form of the dashboard: jobs. They are tried and run like any import, by their id. */
export const jobs = {
  'GET /data/tabular-import-jobs/': actorRoute({
    permission: 'import.own',
    summary: 'List the own tables, as jobs',
    description: 'Without their rows, which a job by itself has.',
    answer: listOf(JobView),
    translatedPaths: ['results.*.user_safe_error'],
    handle: async ({ actor, page, request }) => {
      const { results, ...listed } = await listImports(actor.id, page)
      const jobOf = await loadJobs(results.map(({ id }) => id))
      return listBody(request, page, { ...listed, results: results.map((it) => jobView(it, jobOf(it.id), NO_ROWS)) })
    },
  }),

  'POST /data/tabular-import-jobs/': actorRoute({
    permission: 'import.own',
    summary: 'Send a table, as a job',
    description:
      'A form with the file of up to 4.7 MB. Up to 1 MB it is read at once; a larger one is `processing` until the worker has read it. The job is an import: `/data/imports/{id}/check/` and `/run/` take its id.',
    answer: { ...creation(JobView), 413: { shape: TooLargeView } },
    translatedPaths: ['user_safe_error', 'validation_errors.*'],
    throttles: [{ scope: 'import', rate: 'RATE_IMPORTS', per: 'caller', counts: 'every success' }],
    form: fileForm,
    body: NewJob,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { file, ...provenance } }) => {
      const file_name = displayName(file.name)
      const found = formatOf(file_name)
      if ('refusal' in found) throw invalid({ file: [found.refusal] })
      const { format } = found
      const { id, object_key, ...is } = await storeSent(unit, format, memorySource(await file.bytes()))
      const given = Object.fromEntries(Object.entries(provenance).filter(([, value]) => value !== ''))
      const { made, job } = await beginJob(
        unit,
        actor,
        { file_name, format, given: {}, ...is },
        { id, object_key },
        given,
      )
      return replyCreated(jobView(made, job, await loadStaged(made)))
    },
  }),

  'GET /data/tabular-import-jobs/{id}/': readRoute({
    permission: 'import.read',
    summary: 'Read a table, as a job',
    description: 'With its first 500 rows.',
    answer: ok(JobView),
    translatedPaths: ['user_safe_error', 'validation_errors.*'],
    params: ById,
    subject,
    handle: async ({ subject: it }) => jobView(it, await loadJob(it.id), await loadStaged(it)),
  }),

  'PATCH /data/tabular-import-jobs/{id}/': changeRoute({
    permission: 'import.change',
    summary: 'Say what headers mean, or note something of rows',
    description:
      'Each is changed member by member; null takes one out. What a dry run has said is forgotten with a new mapping.',
    answer: ok(JobView),
    errors: [409],
    translatedPaths: ['user_safe_error', 'validation_errors.*'],
    params: ById,
    subject,
    body: Changes,
    handle: async ({ unit, subject, actor, body: { column_mapping, ...noted } }) => {
      const it = column_mapping ? await mapColumns(unit, subject, column_mapping, actor) : subject
      const old = await loadJob(it.id)
      const job = noted.provenance || noted.row_review_state ? await amendJob(unit, old, noted) : old
      return jobView(it, job, await loadStaged(it))
    },
  }),

  'GET /data/tabular-import-jobs/{id}/compile-preview/': readRoute({
    permission: 'import.read',
    summary: 'See the rows of a table, and what speaks against them',
    description:
      'After a dry run (`/data/imports/{id}/check/`) also what it says. The first 500 rows; `row_count` counts all.',
    answer: ok(PreviewView),
    translatedPaths: ['validation_errors.*'],
    params: ById,
    subject,
    handle: async ({ subject: it }) => {
      const [staged, faults] = await Promise.all([loadStaged(it), listFaults(it)])
      const root = `tabular-${it.id}`
      const label = it.mapping?.rules.find(({ column, field }) => column !== undefined && field === 'name')?.column
      const rows = staged.rows.map(({ row, cells }) => ({
        id: `row-${row}`,
        kind: 'row',
        row_index: row,
        label: ((label && cells[label]) || Object.values(cells).find((cell) => cell !== '') || `${row}`).slice(0, 300),
        entity_type: 'ROW',
        cells,
      }))
      return {
        tabular_job_id: it.id,
        mapping: columnsOf(it),
        entities: [{ id: root, kind: 'document', label: it.file_name, entity_type: 'DOCUMENT' }, ...rows],
        relations: rows.map(({ id }) => ({ source: root, target: id, label: 'contains_row', confidence: 1 })),
        validation_errors: [...errorsOf(it, staged), ...faults],
        row_count: countRows(it),
      }
    },
  }),
} satisfies Routes

const NO_ROWS: StagedTable = { headers: [], rows: [], faults: [] }

const errorsOf = ({ failed }: Import, { faults }: StagedTable) => [...(failed ? [failed] : []), ...faults]
const countRows = ({ sheets, mapping }: Import) =>
  Math.max(0, (sheets[mapping?.sheet ?? 0]?.rows ?? 0) - (mapping?.header_row ?? 1))

const jobView = (it: Import, job: Job, staged: StagedTable) => ({
  id: it.id,
  status: statusOf(it),
  source_filename: it.file_name,
  provenance: job.provenance,
  column_mapping: columnsOf(it),
  staged_rows: staged.rows.map(({ cells }) => cells),
  row_review_state: notesOf(job),
  validation_errors: errorsOf(it, staged),
  user_safe_error: it.failed ?? '',
  row_count: countRows(it),
  created_at: it.created_at,
  updated_at: it.updated_at,
})

type ChangeMapping = Parameters<typeof changeMapping>

/**
 * Changes which fields the columns of a table fill. Fails with `conflict` before the table is read, and with `invalid` for an unknown
 * header or field.
 */
async function mapColumns(
  unit: ChangeMapping[0],
  old: ChangeMapping[1],
  changes: Parameters<typeof withColumns>[1],
  actor: ChangeMapping[3],
): Promise<Import> {
  if (!old.mapping) throw conflict('This table has not been read yet. Try again.')
  try {
    return await changeMapping(unit, old, withColumns(old.mapping, changes), actor)
  } catch (error) {
    const faults = error instanceof Problem ? error.fields?.mapping : undefined
    throw faults ? invalid({ column_mapping: faults }) : error
  }
}
