import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { conflict, invalid, notFound } from '../lib/base/errors.ts'
import * as imports from '../lib/domain/imports/imports.ts'
import { type Import, type ImportFormat, outcomes } from '../lib/domain/imports/items.ts'
import { dropMapping, keepMapping, listMappings, loadMapping } from '../lib/domain/imports/kept-mappings.ts'
import { chooseValues, Mapping, ValueChoice } from '../lib/domain/imports/mapping.ts'
import {
  formOptionEntries,
  optionEntries,
  optionsIn,
  type ReadOptions,
  wholeWithin,
} from '../lib/domain/imports/options.ts'
import { listRows } from '../lib/domain/imports/row-list.ts'
import { loadColumns } from '../lib/domain/imports/stored-columns.ts'
import { formatOf, formFor, LARGEST_FILE, storeSent, takeInFile } from '../lib/domain/imports/take-in.ts'
import { LARGEST_PAGE, listValues } from '../lib/domain/imports/values.ts'
import {
  AnnouncedImportView,
  ImportDetailView,
  ImportRowView,
  ImportTableRowView,
  ImportValuesView,
  importDetail,
  importRowView,
  KeptImportMappingsView,
  KeptImportMappingView,
  mappingView,
  rowView,
  valuesView,
} from '../lib/domain/imports/view.ts'
import { kindKeys } from '../lib/domain/kinds/index.ts'
import { handlings } from '../lib/domain/records/rules/verdicts.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { createLinks } from '../lib/engines/bucket/index.ts'
import { displayName, memorySource } from '../lib/engines/media/index.ts'
import { creation, empty, listOf, ok, TooLargeView } from '../lib/platform/http/answer.ts'

import { announcedDigest, announcedSize, choice, line, members, prose, REQUIRED } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ById, optionalQueryChoice, wholeNumber } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { fileForm } from '../lib/platform/http/request.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { peopleOf } from '../lib/platform/users/people.ts'
import { jobs } from './imports/jobs.ts'

/** Sent tables, announced tables and dry runs share one count. */
const tables = { scope: 'import', rate: 'RATE_IMPORTS', per: 'caller', counts: 'every success' } as const

const ABOUT_PROGRESS = 'It goes on by itself: `progress` tells how far it has come.'

const File_ = members({ file: v.instance(File, 'Send a file.'), ...formOptionEntries })
const Announced = members({
  file_name: v.pipe(v.string(REQUIRED), v.transform(displayName)),
  size: announcedSize(LARGEST_FILE),
  sha256: announcedDigest,
  ...optionEntries,
})
/**
 * A mapping, the name of a kept mapping, or the kind, sheet and header row for which a mapping is guessed again. With a delimiter or an
 * encoding the file is read again.
 */
const Part = members({
  mapping: v.exactOptional(v.union([Mapping, v.string()], 'Give a mapping, or the name of one that is kept.')),
  kind: v.exactOptional(choice(kindKeys)),
  ...optionEntries,
  values: v.exactOptional(v.pipe(v.array(ValueChoice, 'Give a list.'), v.maxLength(500, 'Give 500 values at most.'))),
})
const Run = members({
  doubtful: v.optional(choice(['create', 'skip']), 'create'),
  changes: v.optional(choice(['make', 'leave']), 'make'),
})
const rowNumbers = v.pipe(v.array(wholeWithin(1, 1_100_000), 'Give a list of numbers of rows.'), v.maxLength(1000))
const Deciding = members({
  verdict: choice(['accept', 'reject', 'request_changes']),
  feedback: prose(5000),
  rows: v.optional(rowNumbers, []),
  flagged: v.nullish(v.boolean('Give true or false.'), null),
  outcome: v.nullish(choice(outcomes), null),
  conflict_handling: v.optional(choice(handlings), 'not_applicable'),
})
/** Without `rows` the whole batch is taken back. */
const TakingBack = members({
  rows: v.exactOptional(v.pipe(rowNumbers, v.minLength(1, 'Give at least one row.'))),
  preview: v.optional(v.boolean('Give true or false.'), false),
})
const optionalText = v.pipe(
  v.optional(v.string(), ''),
  v.maxLength(300),
  v.transform((text) => text || undefined),
)
const ValueQuery = v.object({
  column: optionalText,
  field: optionalText,
  after: v.pipe(v.optional(v.string(), '0'), v.regex(/^\d{1,7}$/, 'A whole number is wanted.'), v.transform(Number)),
  limit: wholeNumber(LARGEST_PAGE, LARGEST_PAGE),
})
const RowQuery = v.object({ outcome: optionalQueryChoice(outcomes) })
const name = v.pipe(line(80), v.trim(), v.nonEmpty('This field may not be blank.'))
const ByName = v.object({ name: v.pipe(v.string(), v.maxLength(80)) })
/** The translatable texts of an import. */
const importTexts = ['failed', 'told.*', 'decided.reasons.*', 'undo.records.*.reasons.*']
const ofImport = ({ id }: { id: string }) => imports.loadImport(id)

/** Imports of tables, also in the form of jobs: columns, dry runs, runs, and the decisions on them. */
export const routes = withTables({
  ...jobs,

  'GET /data/imports/': actorRoute({
    permission: 'import.own',
    summary: 'List the own imports, the latest first',
    answer: listOf(ImportRowView),
    translatedPaths: ['results.*.failed'],
    handle: async ({ actor, page, request }) => {
      const { results, ...listed } = await imports.listImports(actor.id, page)
      const people = await peopleOf([actor.id])
      return listBody(request, page, { ...listed, results: results.map((it) => importRowView(it, people)) })
    },
  }),

  'POST /data/imports/': actorRoute({
    permission: 'import.own',
    summary: 'Send a table',
    description: `A form with the file (CSV, TSV, XLSX, ODS or JSON Lines) of up to 4.7 MB; larger ones are announced at \`upload_url\`. It is read, and what its columns mean is guessed. ${ABOUT_PROGRESS}`,
    answer: { ...creation(ImportDetailView), 413: { shape: TooLargeView } },
    throttles: [tables],
    translatedPaths: importTexts,
    form: fileForm,
    body: File_,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { file, ...body } }) => {
      const file_name = displayName(file.name)
      const format = formatNamed(file_name, 'file')
      const given = optionsFor(format, body)
      const source = memorySource(await file.bytes())
      const { id, object_key, ...is } = await storeSent(unit, format, source)
      return replyCreated(
        await showImport(
          await imports.beginImport(unit, actor, { file_name, format, given, ...is }, { id, object_key }),
          actor,
        ),
      )
    },
  }),

  'POST /data/imports/uploads/': actorRoute({
    permission: 'import.own',
    summary: 'Announce a table of up to 50 MB',
    description:
      'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    answer: creation(AnnouncedImportView),
    throttles: [tables],
    body: Announced,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { file_name, size, sha256, ...body } }) => {
      const format = formatNamed(file_name, 'file_name')
      const given = optionsFor(format, body)
      const made = await imports.beginImport(unit, actor, { file_name, size, sha256, format, given })
      return replyCreated({ import_id: made.id, upload: await formFor(made) })
    },
  }),

  'POST /data/imports/uploads/{id}/complete/': changeRoute({
    permission: 'import.change',
    summary: 'Complete the upload of a table',
    answer: ok(ImportDetailView),
    errors: [409, 410],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    handle: async ({ unit, subject, actor }) => {
      if (subject.state !== 'announced') throw conflict('This upload has been completed.')
      const made = await takeInFile(unit, subject, actor)
      return showImport(made, actor)
    },
  }),

  'GET /data/imports/mappings/': actorRoute({
    permission: 'import.own',
    summary: 'List the mappings that one keeps',
    answer: ok(KeptImportMappingsView),
    handle: async ({ actor }) => ({ results: (await listMappings(actor.id)).map(mappingView) }),
  }),

  'POST /data/imports/mappings/': actorRoute({
    permission: 'import.own',
    summary: 'Keep a mapping under a name',
    description: 'Over what was kept under it. `PATCH /data/imports/{id}/` takes its name.',
    answer: creation(KeptImportMappingView),
    errors: [409],
    body: members({ name, mapping: Mapping }),
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const made = await keepMapping(unit, actor.id, body.name, body.mapping)
      return replyCreated(mappingView(made))
    },
  }),

  'DELETE /data/imports/mappings/{name}/': actorRoute({
    permission: 'import.own',
    summary: 'Drop a mapping',
    answer: empty,
    params: ByName,
    handle: async ({ unit, actor, params }) => {
      if (!(await dropMapping(unit, actor.id, params.name))) throw notFound()
      return replyNoContent()
    },
  }),

  'GET /data/imports/{id}/': readRoute({
    permission: 'import.read',
    summary: 'Read an import',
    description: 'With its sheets, the columns of the sheet that is meant, and what these were taken for.',
    answer: ok(ImportDetailView),
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    handle: ({ subject, actor }) => showImport(subject, actor),
  }),

  'PATCH /data/imports/{id}/': changeRoute({
    permission: 'import.change',
    summary: 'Say what the columns mean',
    description:
      'A whole mapping, or the name of one that is kept; or a kind, a sheet or the row of the header for which it is guessed anew. With a delimiter or an encoding, the file itself is read again. `values` say what single values of a column become, for all rows that have them: `[{"column": "Style", "value": "Pagado", "becomes": "Pagoda"}]`; `#7` is the record with the id 7, an empty text leaves the value out, null takes the choice back. What the dry run has said is forgotten.',
    answer: ok(ImportDetailView),
    errors: [409],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    body: Part,
    handle: async ({ unit, subject, actor, body }) => {
      const options = optionsFor(subject.format, body)
      if (body.values) {
        if (body.kind || Object.keys(options).length > 0) throw invalid({ values: [VALUES_ALONE] })
        const mapping = body.mapping === undefined ? subject.mapping : await mappingFrom(actor, body.mapping)
        if (!mapping) throw invalid({ values: ['Say what the columns mean.'] })
        return showImport(await imports.changeMapping(unit, subject, chooseValues(mapping, body.values), actor), actor)
      }
      if (options.delimiter || options.encoding) {
        if (body.mapping || body.kind)
          throw invalid({ mapping: ['The file is read again first. Send this after that.'] })
        return showImport(await imports.readAgain(unit, subject, options, actor), actor)
      }
      if (body.mapping === undefined)
        return showImport(
          await imports.changeTarget(unit, subject, { ...options, ...(body.kind && { kind: body.kind }) }, actor),
          actor,
        )
      const mapping = await mappingFrom(actor, body.mapping)
      return showImport(await imports.changeMapping(unit, subject, mapping, actor), actor)
    },
  }),

  'POST /data/imports/{id}/check/': changeRoute({
    permission: 'import.change',
    summary: 'Try the rows',
    description: `Each is told as new, the same as a known record, changing one, doubtful, in conflict with another change, or refused. Nothing is written. ${ABOUT_PROGRESS}`,
    answer: ok(ImportDetailView),
    errors: [409],
    throttles: [tables],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    handle: async ({ unit, subject, actor }) => {
      const made = await imports.orderTask(unit, subject, 'check', actor)
      return showImport(made, actor)
    },
  }),

  'POST /data/imports/{id}/run/': changeRoute({
    permission: 'import.change',
    summary: 'Run the rows as one batch',
    description: `Each as the contribution it is. \`doubtful\` says what becomes of rows that look like something known: \`create\`, with a flag for reviewers, or \`skip\`; \`changes\` of rows that change a record: \`make\` or \`leave\`. ${ABOUT_PROGRESS}`,
    answer: ok(ImportDetailView),
    errors: [409],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    body: Run,
    throttles: [
      {
        scope: 'import_rows',
        rate: 'RATE_IMPORT_ROWS',
        per: 'caller',
        counts: 'every success',
        hits: ({ subject }: { subject: Import }) => Math.max(1, imports.countRowsToWrite(subject)),
      },
    ],
    handle: async ({ unit, subject, actor, body }) => {
      return showImport(await imports.orderTask(unit, subject, 'run', actor, body), actor)
    },
  }),

  'GET /data/imports/{id}/rows/': readRoute({
    permission: 'import.read',
    summary: 'List the rows with what the dry run and the run say of them',
    answer: listOf(ImportTableRowView),
    translatedPaths: ['results.*.faults.*.message', 'results.*.doubts.*.message', 'results.*.run.reason'],
    params: ById,
    query: RowQuery,
    subject: ofImport,
    handle: async ({ subject, actor, query, page, request }) => {
      const { results, ...listed } = await listRows(subject, query, page)
      return listBody(request, page, { ...listed, results: results.map((it) => rowView(it, actor)) })
    },
  }),

  'GET /data/imports/{id}/values/': readRoute({
    permission: 'import.read',
    summary: 'List the different values of a column with what each becomes',
    description:
      'Once the rows have been tried: this date as these bounds, this name as that record or as a new one, this word as that option. Likely spellings of one value stand together. Without `column`, only which columns have such a list. `PATCH /data/imports/{id}/` takes a choice for a value.',
    answer: ok(ImportValuesView),
    translatedPaths: ['groups.*.*.becomes.*.message'],
    params: ById,
    query: ValueQuery,
    subject: ofImport,
    handle: async ({ subject, actor, query, request }) => {
      const listed = await listValues(subject, query, actor)
      const next = listed.next === undefined ? null : nextPage(request, { ...query, after: listed.next })
      return valuesView(listed, next)
    },
  }),

  'POST /data/imports/{id}/decide/': changeRoute({
    permission: 'import.decide',
    summary: 'Decide on what waits of a batch',
    description: `On all, on some rows by their numbers, on those with flags or without, or on those of one outcome of the dry run. What holds a contradiction is left, unless \`conflict_handling\` says how it is settled. \`decided\` tells what was left, and why. ${ABOUT_PROGRESS}`,
    answer: ok(ImportDetailView),
    errors: [409],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    body: Deciding,
    handle: async ({ unit, subject, actor, body }) => {
      if (body.verdict !== 'accept' && !body.feedback.trim())
        throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
      const made = await imports.orderTask(unit, subject, 'decide', actor, { decide: body })
      return showImport(made, actor)
    },
  }),

  'POST /data/imports/{id}/withdraw/': changeRoute({
    permission: 'import.change',
    summary: 'Withdraw what still waits of a batch',
    description: `What others have built on stays, as when it is taken back. ${ABOUT_PROGRESS}`,
    answer: ok(ImportDetailView),
    errors: [409],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    handle: async ({ unit, subject, actor }) => {
      const made = await imports.orderTask(unit, subject, 'withdraw', actor)
      return showImport(made, actor)
    },
  }),

  'POST /data/imports/{id}/take-back/': changeRoute({
    permission: 'import.take_back',
    summary: 'Take a batch back, or some of its rows',
    description: `New records are deleted, changed ones are as they were. A record on which others have built stays: a record that stays links to it, somebody else has made a claim about it, has commented on it or has added a picture, a reviewer has decided on it by itself, or it was changed since. After 90 days the files of the import are deleted, and a record that it changed stays, too. \`undo\` counts what went and names what stayed, each with its reasons; \`kept\` has their ids. With \`preview\`, \`undo\` says the same before, and nothing is changed. Only \`rows\` are taken back if they are given. ${ABOUT_PROGRESS}`,
    answer: ok(ImportDetailView),
    errors: [409],
    translatedPaths: importTexts,
    params: ById,
    subject: ofImport,
    body: TakingBack,
    handle: async ({ unit, subject, actor, body }) => {
      const made = await imports.orderTask(unit, subject, 'take_back', actor, body)
      return showImport(made, actor)
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

function formatNamed(file_name: string, member: string) {
  const found = formatOf(file_name)
  if ('refusal' in found) throw invalid({ [member]: [found.refusal] })
  return found.format
}

const VALUES_ALONE = 'Values are chosen for a mapping that stands. Send them by themselves.'

/** The options among the members of a body. Fails with `invalid` for an option that files of this format do not have. */
function optionsFor(format: ImportFormat, body: ReadOptions): ReadOptions {
  const isText = format === 'csv' || format === 'tsv'
  if (body.delimiter && !isText) throw invalid({ delimiter: ['Only a table in text has a delimiter.'] })
  if (body.encoding && !isText) throw invalid({ encoding: ['Only the encoding of a CSV or TSV file is chosen.'] })
  return optionsIn(body)
}

/** The mapping of a body, which holds the mapping itself or the name of a kept one. */
async function mappingFrom(actor: Actor, given: Mapping | string): Promise<Mapping> {
  if (typeof given !== 'string') return given
  const kept = await loadMapping(actor.id, given)
  if (!kept) throw invalid({ mapping: ['You keep no mapping of this name.'] })
  return kept.mapping
}

function nextPage(request: { path: string; origin: string }, query: v.InferOutput<typeof ValueQuery>): string {
  const next = new URL(request.path.replace(/\/?$/, '/'), request.origin)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) next.searchParams.set(name, String(value))
  return next.href
}

/** Whether rows of an import may wait for review: its run has begun. */
const hasRun = ({ state }: Import) => ['running', 'done', 'withdrawn', 'taken_back'].includes(state)

async function showImport(it: Import, actor: Actor | null) {
  const [people, columns, waiting, link] = await Promise.all([
    peopleOf([it.contributor_id]),
    it.files_until ? loadColumns(it) : undefined,
    hasRun(it) ? imports.countWaiting([it.id]) : undefined,
    createLinks(),
  ])
  return importDetail(it, { actor, people, columns, waiting: waiting?.get(it.id) ?? 0, link })
}
