import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { config } from '../lib/config.ts'
import { conflict, invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { links } from '../lib/files/blobs.ts'
import { inMemory } from '../lib/files/media/source.ts'
import { shownName } from '../lib/files/names.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { announcedDigest, announcedSize, choice, line, members, prose, REQUIRED } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { ById, oneOrNone } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { fileForm } from '../lib/http/request.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { withinRate } from '../lib/http/throttle.ts'
import * as imports from '../lib/imports/imports.ts'
import { type Import, outcomes } from '../lib/imports/items.ts'
import { dropMapping, keepMapping, listMappings, loadMapping } from '../lib/imports/kept-mappings.ts'
import { Mapping } from '../lib/imports/mapping.ts'
import { columnsOf } from '../lib/imports/read.ts'
import { listRows } from '../lib/imports/row-list.ts'
import { formatOf, formFor, LARGEST_FILE, takeInSent, whileStored } from '../lib/imports/take-in.ts'
import { importDetail, importRow, mappingView, rowView } from '../lib/imports/view.ts'
import { kindKeys } from '../lib/kinds/index.ts'
import type { Actor } from '../lib/permissions.ts'
import { handlings } from '../lib/records/rules/verdicts.ts'
import { peopleOf } from '../lib/users/people.ts'

const File_ = members({ file: v.instance(File, 'Send a file.') })
const Announced = members({
  file_name: v.pipe(v.string(REQUIRED), v.transform(shownName)),
  size: announcedSize(LARGEST_FILE),
  sha256: announcedDigest,
})
const number = (least: number, most: number) =>
  v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'), v.minValue(least), v.maxValue(most))
/** Another mapping; one that is kept, by its name; or what it is to be guessed anew for. */
const Part = members({
  mapping: v.exactOptional(v.union([Mapping, v.string()], 'Give a mapping, or the name of one that is kept.')),
  kind: v.exactOptional(choice(kindKeys)),
  sheet: v.exactOptional(number(0, 49)),
  header_row: v.exactOptional(number(1, 20)),
})
const Run = members({
  doubtful: v.optional(choice(['create', 'skip']), 'create'),
  changes: v.optional(choice(['make', 'leave']), 'make'),
})
const Deciding = members({
  verdict: choice(['accept', 'reject', 'request_changes']),
  feedback: prose(5000),
  rows: v.optional(v.pipe(v.array(number(1, 1_100_000), 'Give a list of numbers of rows.'), v.maxLength(1000)), []),
  flagged: v.nullish(v.boolean('Give true or false.'), null),
  outcome: v.nullish(choice(outcomes), null),
  conflict_handling: v.optional(choice(handlings), 'not_applicable'),
})
const RowQuery = v.object({ outcome: oneOrNone(outcomes) })
const name = v.pipe(line(80), v.trim(), v.nonEmpty('This field may not be blank.'))
const ByName = v.object({ name: v.pipe(v.string(), v.maxLength(80)) })
const ofImport = ({ id }: { id: string }) => imports.load(id)

/** Tables: what they say, what they would do, and what they have done. */
export const routes = withTables({
  'GET /data/imports/': actorRoute({
    permission: 'import.own',
    says: ['results.*.failed'],
    handle: async ({ actor, page, request }) => {
      const { results, ...listed } = await imports.list(actor.id, page)
      const people = await peopleOf([actor.id])
      return listBody(request, page, { ...listed, results: results.map((it) => importRow(it, people)) })
    },
  }),

  'POST /data/imports/': actorRoute({
    permission: 'import.own',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    form: fileForm,
    body: File_,
    idempotent: '24h',
    handle: async ({ actor, body: { file } }) => {
      const file_name = shownName(file.name)
      const format = formatNamed(file_name, 'file')
      const source = inMemory(await file.bytes())
      return counted(actor, () =>
        whileStored(format, source, ({ id, object_key, also, ...is }) =>
          creating(() => imports.begin(actor, { file_name, format, ...is }, { id, object_key, also }), shown),
        ),
      )
    },
  }),

  'POST /data/imports/uploads/': actorRoute({
    permission: 'import.own',
    body: Announced,
    idempotent: '24h',
    handle: async ({ actor, body }) => {
      const format = formatNamed(body.file_name, 'file_name')
      return counted(actor, () =>
        creating(
          () => imports.begin(actor, { ...body, format }),
          async (made) => ({ import_id: made.id, upload: await formFor(made) }),
        ),
      )
    },
  }),

  'POST /data/imports/uploads/{id}/complete/': changeRoute({
    permission: 'import.change',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    handle: ({ subject, actor }) => {
      if (subject.state !== 'announced') throw conflict('This upload has been completed.')
      return answering(() => takeInSent(subject, actor), shown)
    },
  }),

  'GET /data/imports/mappings/': actorRoute({
    permission: 'import.own',
    handle: async ({ actor }) => ({ results: (await listMappings(actor.id)).map(mappingView) }),
  }),

  'POST /data/imports/mappings/': actorRoute({
    permission: 'import.own',
    body: members({ name, mapping: Mapping }),
    idempotent: '24h',
    handle: ({ actor, body }) => creating(() => keepMapping(actor.id, body.name, body.mapping), mappingView),
  }),

  'DELETE /data/imports/mappings/{name}/': actorRoute({
    permission: 'import.own',
    params: ByName,
    handle: async ({ actor, params }) => {
      if (!(await dropMapping(actor.id, params.name))) throw notFound()
      return noContent()
    },
  }),

  'GET /data/imports/{id}/': readRoute({
    permission: 'import.read',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    handle: ({ subject }) => shown(subject),
  }),

  'PATCH /data/imports/{id}/': changeRoute({
    permission: 'import.change',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    body: Part,
    handle: ({ subject, actor, body }) =>
      answering(async () => imports.remap(subject, await meant(subject, actor, body), actor), shown),
  }),

  'POST /data/imports/{id}/check/': changeRoute({
    permission: 'import.change',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    handle: ({ subject, actor }) => answering(() => imports.order(subject, 'check', actor), shown),
  }),

  'POST /data/imports/{id}/run/': changeRoute({
    permission: 'import.change',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    body: Run,
    handle: ({ subject, actor, body }) =>
      withinRate(
        'import_rows',
        actor.id,
        config.RATE_IMPORT_ROWS,
        () => answering(() => imports.order(subject, 'run', actor, body), shown),
        Math.max(1, imports.writingRows(subject)),
      ),
  }),

  'GET /data/imports/{id}/rows/': readRoute({
    permission: 'import.read',
    says: ['results.*.faults.*.message', 'results.*.run.reason'],
    params: ById,
    query: RowQuery,
    subject: ofImport,
    handle: async ({ subject, actor, query, page, request }) => {
      const { results, ...listed } = await listRows(subject, query, page)
      return listBody(request, page, { ...listed, results: results.map((it) => rowView(it, actor)) })
    },
  }),

  'POST /data/imports/{id}/decide/': changeRoute({
    permission: 'import.decide',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    body: Deciding,
    handle: ({ subject, actor, body }) => {
      if (body.verdict !== 'accept' && !body.feedback.trim())
        throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
      return answering(() => imports.order(subject, 'decide', actor, { decide: body }), shown)
    },
  }),

  'POST /data/imports/{id}/withdraw/': changeRoute({
    permission: 'import.change',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    handle: ({ subject, actor }) => answering(() => imports.order(subject, 'withdraw', actor), shown),
  }),

  'POST /data/imports/{id}/take-back/': changeRoute({
    permission: 'import.take_back',
    says: ['failed', 'told.*', 'decided.reasons.*'],
    params: ById,
    subject: ofImport,
    handle: ({ subject, actor }) => answering(() => imports.order(subject, 'take_back', actor), shown),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

const counted = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  withinRate('import', actor.id, config.RATE_IMPORTS, work)

function formatNamed(file_name: string, member: string) {
  const found = formatOf(file_name)
  if ('refusal' in found) throw invalid({ [member]: [found.refusal] })
  return found.format
}

/** The mapping that a change asks for. */
async function meant(
  it: Import,
  actor: Actor,
  { mapping, kind, sheet, header_row }: v.InferOutput<typeof Part>,
): Promise<Mapping> {
  if (typeof mapping === 'string') {
    const kept = await loadMapping(actor.id, mapping)
    if (!kept) throw invalid({ mapping: ['You keep no mapping of this name.'] })
    return kept.mapping
  }
  if (mapping) return mapping
  const now = {
    kind: it.mapping?.kind ?? 'structure',
    sheet: it.mapping?.sheet ?? 0,
    header_row: it.mapping?.header_row ?? 1,
  }
  const asked = {
    ...now,
    ...(kind && { kind }),
    ...(sheet !== undefined && { sheet }),
    ...(header_row && { header_row }),
  }
  return (await imports.reguess(it, asked, actor)).mapping
}

/** From when on some of its rows may wait for review. */
const hasRun = ({ state }: Import) => ['running', 'done', 'withdrawn', 'taken_back'].includes(state)

async function shown(it: Import) {
  const [people, columns, waiting, link] = await Promise.all([
    peopleOf([it.contributor_id]),
    it.files_until ? columnsOf(it) : undefined,
    hasRun(it) ? imports.waitingOf([it.id]) : undefined,
    links(),
  ])
  return importDetail(it, { people, columns, waiting: waiting?.get(it.id) ?? 0, link })
}
