import * as v from 'valibot'
import { languages } from '../../base/language/languages.ts'
import { omit } from '../../base/omit.ts'
import * as s from '../../base/shapes.ts'
import type { Links } from '../../engines/bucket/index.ts'
import { contentDisposition } from '../../engines/media/index.ts'
import { type Actor, mayReview, maySeeAll, worksOn } from '../../platform/permissions.ts'
import type { PeopleById } from '../../platform/users/people.ts'
import { kindKeys } from '../kinds/index.ts'
import { recordStatuses } from '../records/rules/status.ts'
import { dateOrders } from './dates.ts'
import type { WaitingBatch } from './imports.ts'
import {
  type Import,
  importFormats,
  importStates,
  type KeptReason,
  outcomes,
  type StoredMapping,
  tasks,
  type UndoResult,
} from './items.ts'
import { matches, scripts, sourceMembers } from './mapping.ts'
import { delimiterNames, encodings, optionNames } from './options.ts'
import { reportKey } from './report.ts'
import type { ListedRow } from './row-list.ts'
import type { StoredColumns } from './stored-columns.ts'
import { becomingWords, type ListedValues } from './values.ts'

/** The JSON of imports. */

const person = (people: PeopleById, id: string) => {
  const card = people(id)
  return card && { id: card.id, username: card.username }
}

const optionalText = () => v.optional(s.text)
const ImportRuleView = s.shape('ImportRule', () =>
  v.object({
    field: s.text,
    column: optionalText(),
    constant: optionalText(),
    split: optionalText(),
    part: v.optional(s.whole),
    join: optionalText(),
    script: v.optional(s.oneOf(scripts)),
    date_order: v.optional(s.oneOf(dateOrders)),
    values: v.optional(v.array(v.object({ value: s.text, becomes: s.text }))),
    language: v.optional(s.oneOf(languages)),
  }),
)
const ImportMappingView = s.shape('ImportMapping', () =>
  v.object({
    kind: s.oneOf(kindKeys),
    sheet: s.whole,
    header_row: s.whole,
    match: s.oneOf(matches),
    language: v.optional(s.oneOf(languages)),
    rules: v.array(ImportRuleView),
    assertion: v.array(
      v.object({
        ...{ member: s.oneOf(sourceMembers), field: optionalText() },
        ...{ column: optionalText(), constant: optionalText() },
      }),
    ),
  }),
)
export const KeptImportMappingView = s.shape('KeptImportMapping', () =>
  v.object({ name: s.text, mapping: ImportMappingView, created_at: s.time, updated_at: s.time }),
)
export const KeptImportMappingsView = s.shape('KeptImportMappings', () =>
  v.object({ results: v.array(KeptImportMappingView) }),
)
const personShape = () => v.object({ id: s.uuid, username: s.text })
const NO_ROWS = { new: 0, same: 0, changes: 0, doubtful: 0, conflict: 0, refused: 0 }
const outcomeCounts = () =>
  v.object({ new: s.whole, same: s.whole, changes: s.whole, doubtful: s.whole, conflict: s.whole, refused: s.whole })
const runCounts = () => v.object({ created: s.whole, amended: s.whole, left: s.whole, failed: s.whole })
/**
 * A table that somebody sent. `counts` is the result of the dry run, `made` that of the run, `progress` the task that goes on.
 */
export const ImportRowView = s.shape('ImportRow', () =>
  v.object({
    id: s.uuid,
    file_name: s.text,
    format: s.oneOf(importFormats),
    size: s.whole,
    state: s.oneOf(importStates),
    contributor: s.maybe(personShape()),
    kind: s.maybe(s.oneOf(kindKeys)),
    counts: s.maybe(outcomeCounts()),
    made: runCounts(),
    progress: s.maybe(v.object({ task: s.oneOf(tasks), done: s.whole, of: s.whole })),
    failed: s.maybe(s.text),
    files_until: s.maybe(s.time),
    created_at: s.time,
    updated_at: s.time,
  }),
)
const ImportColumnView = s.shape('ImportColumn', () =>
  v.object({
    name: s.text,
    filled: s.whole,
    samples: v.array(s.text),
    /**
     * The field that was guessed for the column, what the guess is based on, and how sure it is, from 0 to 1. Null: not
     * understood.
     */
    guess: s.maybe(s.text),
    by: s.maybe(s.oneOf(['header', 'values', 'names'])),
    sure: v.number(),
  }),
)
const ImportSheetView = s.shape('ImportSheet', () =>
  v.object({
    name: s.text,
    hidden: v.boolean(),
    rows: s.whole,
    columns: s.whole,
    formulas: s.whole,
    formulas_without_values: s.whole,
    merged: s.whole,
    filled_down: s.whole,
  }),
)
/**
 * `told` has remarks about what was decided when the file was read. `report_url` is the dry run as CSV, to be corrected and sent
 * again.
 */
export const ImportDetailView = s.shape('ImportDetail', () =>
  v.object({
    ...ImportRowView.entries,
    sha256: s.maybe(s.text),
    sheets: v.array(ImportSheetView),
    /** How the file was read. `given` names what the sender gave; all else was guessed. */
    options: v.object({
      delimiter: s.maybe(s.oneOf(delimiterNames)),
      encoding: s.maybe(s.oneOf(encodings)),
      sheet: s.maybe(s.whole),
      header_row: s.maybe(s.whole),
      given: v.array(s.oneOf(optionNames)),
    }),
    told: v.array(s.text),
    mapping: s.maybe(ImportMappingView),
    columns: v.array(ImportColumnView),
    waiting: s.whole,
    /** The result of the last verdict on the batch: records decided on, records left, and the different reasons. */
    decided: s.maybe(v.object({ records: s.whole, left: s.whole, reasons: v.array(s.text) })),
    kept: v.array(s.uuid),
    /** What taking back or a withdrawal has undone, or with `preview` would undo. `records` names the records that stay. */
    undo: s.maybe(
      v.object({
        preview: v.boolean(),
        rows: v.array(s.whole),
        goes: s.whole,
        stays: s.whole,
        records: v.array(v.object({ row: s.whole, entity_id: s.uuid, name: s.text, reasons: v.array(s.text) })),
      }),
    ),
    report_url: s.maybe(s.text),
  }),
)
export const AnnouncedImportView = s.shape('AnnouncedImport', () =>
  v.object({
    import_id: s.uuid,
    upload: v.object({ url: s.text, fields: v.record(s.text, s.text), expires_at: s.time }),
  }),
)
const change = () => v.object({ field: s.text, from: s.text, to: s.text })
export const ImportTableRowView = s.shape('ImportTableRow', () =>
  v.object({
    row: s.whole,
    outcome: s.oneOf(outcomes),
    name: s.text,
    entity_id: s.maybe(s.uuid),
    faults: v.array(
      v.object({
        field: s.text,
        column: s.maybe(s.text),
        value: s.text,
        message: s.text,
        legal: v.optional(v.array(s.text)),
        nearest: optionalText(),
      }),
    ),
    /** What is doubtful in its cells, though it is no fault. A new row with a doubt is `doubtful`. */
    doubts: v.array(v.object({ field: s.text, column: s.maybe(s.text), value: s.text, message: s.text })),
    /** Its dates as they were understood: first and last day; both are null if nothing was understood. */
    dates: v.array(
      v.object({
        field: s.text,
        column: s.maybe(s.text),
        value: s.text,
        from: s.maybe(s.text),
        to: s.maybe(s.text),
        approximate: v.boolean(),
      }),
    ),
    alike: v.array(
      v.object({
        entity_id: s.maybe(s.uuid),
        row: s.maybe(s.whole),
        name: s.text,
        how: s.oneOf(['same_identity', 'same_name', 'close']),
        likeness: v.number(),
      }),
    ),
    changes: v.array(change()),
    conflicts: v.array(change()),
    makes: v.array(v.object({ kind: s.text, name: s.text })),
    run: s.maybe(v.object({ what: s.oneOf(['created', 'amended', 'left', 'failed']), reason: s.text })),
    record: s.maybe(
      v.object({
        kind: s.oneOf(kindKeys),
        id: s.whole,
        status: s.oneOf(recordStatuses),
        open_flags: s.whole,
        deleted: v.boolean(),
      }),
    ),
  }),
)
/**
 * What a value becomes in its field. `from` and `to` are the first and last day of a date. `record` is the record that is meant, if the
 * reader may see it. `message` is a doubt, or the reason of a refusal.
 */
const ImportBecomingView = s.shape('ImportBecoming', () =>
  v.object({
    what: s.oneOf(becomingWords),
    text: s.text,
    from: s.maybe(s.text),
    to: s.maybe(s.text),
    approximate: v.boolean(),
    kind: s.maybe(s.text),
    record: s.maybe(v.object({ kind: s.text, id: s.whole, name: s.text, entity_id: s.uuid })),
    message: s.maybe(s.text),
    nearest: s.maybe(s.text),
  }),
)
/**
 * The different values of the columns of a table, once its rows have been tried. `groups` is of one column. Each group has the likely
 * spellings of one value, the most frequent first.
 */
export const ImportValuesView = s.shape('ImportValues', () =>
  v.object({
    columns: v.array(
      v.object({
        column: s.text,
        field: s.text,
        values: s.whole,
        groups: s.whole,
        doubtful: s.whole,
        /** Rows whose values are not listed: a value is too long, or the column has over 1,000 or the table over 20,000 different values. */
        unlisted: s.whole,
      }),
    ),
    groups: v.array(
      v.array(
        v.object({
          value: s.text,
          rows: s.whole,
          /** The first row that has it. */
          row: s.whole,
          /** Whether the mapping says what it becomes. */
          chosen: v.boolean(),
          becomes: v.array(ImportBecomingView),
        }),
      ),
    ),
    next: s.maybe(s.text),
  }),
)
/** A batch as a line of the queue. Its rows are at `/data/imports/{id}/rows/`. */
export const ImportBatchView = s.shape('ImportBatch', () =>
  v.object({
    id: s.uuid,
    file_name: s.text,
    kind: s.maybe(s.oneOf(kindKeys)),
    contributor: s.maybe(personShape()),
    waiting: s.whole,
    made: runCounts(),
    created_at: s.time,
  }),
)

/** A row of the list of imports. */
export const importRowView = (it: Import, people: PeopleById) => ({
  id: it.id,
  file_name: it.file_name,
  format: it.format,
  size: it.size,
  state: it.state,
  contributor: person(people, it.contributor_id),
  kind: it.mapping?.kind ?? null,
  counts: it.counts && { ...NO_ROWS, ...it.counts },
  made: it.made,
  progress: it.work && { task: it.work.task, done: it.work.done, of: it.work.of },
  failed: it.failed,
  files_until: it.files_until,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** An import with what is known of its table. */
export async function importDetail(
  it: Import,
  {
    actor,
    people,
    columns,
    waiting,
    link,
  }: {
    actor: Actor | null
    people: PeopleById
    columns: StoredColumns | undefined
    waiting: number
    link: Links
  },
) {
  const of = new Map(columns?.guesses.map((guess) => [guess.column, guess]))
  const named = it.file_name.replace(/\.[^.]*$/, '')
  return {
    ...importRowView(it, people),
    sha256: it.sha256,
    sheets: it.sheets.map((sheet) => omit(sheet, 'hides_rows', 'hidden_columns', 'pads_numbers')),
    options: {
      delimiter: it.delimiter,
      encoding: it.encoding,
      sheet: it.mapping?.sheet ?? null,
      header_row: it.mapping?.header_row ?? null,
      given: optionNames.filter((name) => it.given[name] !== undefined),
    },
    told: it.told,
    mapping: it.mapping,
    columns: (columns?.columns ?? []).map(({ name, filled, samples }) => {
      const { field = null, by = null, sure = 0 } = of.get(name) ?? {}
      return { name, filled, samples, guess: field, by, sure }
    }),
    waiting,
    decided: it.decided,
    kept: it.kept,
    undo: it.undo && undoView(it.undo, actor),
    report_url:
      it.counts && it.files_until
        ? await link(reportKey(it.id), {
            type: 'text/csv; charset=utf-8',
            disposition: contentDisposition('attachment', `${named} report.csv`),
          })
        : null,
  }
}

const reasonTexts: Readonly<Record<KeptReason, string>> = {
  linked: 'Another record links to it.',
  linked_waiting: 'A contribution that waits links to it.',
  claimed: 'Somebody else has made a claim about it.',
  commented: 'Somebody else has commented on it.',
  pictured: 'Somebody else has added a picture to it.',
  decided: 'A reviewer has decided on it by itself.',
  changed: 'It has been changed since.',
  named_by_kept: 'A record of the table that stays links to it.',
  forgotten: 'The files of the import are deleted. So nobody knows any more how it was before.',
}

/**
 * What an undo did or would do, with the records that stay. Only reviewers and staff learn that a waiting contribution links to such a
 * record.
 */
const undoView = (it: UndoResult, actor: Actor | null) => ({
  ...it,
  records: it.records.map(({ reasons, ...record }) => ({
    ...record,
    reasons: reasons
      .filter((reason) => reason !== 'linked_waiting' || mayReview(actor) || maySeeAll(actor))
      .map((reason) => reasonTexts[reason]),
  })),
})

/** A batch as a line of the queue. */
export const batchView = ({ about, waiting }: WaitingBatch, people: PeopleById) => ({
  id: about.id,
  file_name: about.file_name,
  kind: about.mapping?.kind ?? null,
  contributor: person(people, about.contributor_id),
  waiting,
  made: about.made,
  created_at: about.created_at,
})

/** A row with the results of the dry run and the run. The record's status is shown only to those who work on it. */
export const rowView = ({ result: it, run, head }: ListedRow, actor: Actor | null) => ({
  row: it.row,
  outcome: it.outcome,
  name: it.name,
  entity_id: run?.entity_id ?? it.entity_id,
  faults: it.faults,
  doubts: it.doubts,
  dates: it.dates,
  alike: it.alike,
  changes: it.changes,
  conflicts: it.conflicts,
  makes: it.makes,
  run: run ? { what: run.what, reason: run.reason } : null,
  record:
    head && worksOn(actor, head)
      ? {
          kind: head.kind,
          id: head.id,
          status: head.status,
          open_flags: head.open_flags - (mayReview(actor) ? 0 : head.concealed_flags),
          deleted: head.deleted_at !== null,
        }
      : null,
})

/** The values of a column, with the records that the reader may see. */
export const valuesView = ({ columns, groups, records }: ListedValues, next: string | null) => ({
  columns,
  groups: groups.map((group) =>
    group.map(({ becomes, ...value }) => ({
      ...value,
      becomes: becomes.map(({ entity_id, ...it }) => ({ ...it, record: records.get(entity_id ?? '') ?? null })),
    })),
  ),
  next,
})

export const mappingView = ({ name, mapping, created_at, updated_at }: StoredMapping) => ({
  ...{ name, mapping, created_at, updated_at },
})
