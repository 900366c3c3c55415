import * as v from 'valibot'
import { formats, outcomes, states, tasks } from '../../../lib/imports/items.ts'
import { matches, scripts, sourceMembers } from '../../../lib/imports/mapping.ts'
import { kindKeys } from '../../../lib/kinds/index.ts'
import { languages } from '../../../lib/language/languages.ts'
import { statuses } from '../../../lib/records/rules/status.ts'
import { maybe, oneOf, text, time, uuid, whole } from './common.ts'

/** Imports: tables, what their columns mean, and what became of their rows. */

const optionalText = v.optional(text)
export const ImportRule = v.object({
  field: text,
  column: optionalText,
  constant: optionalText,
  split: optionalText,
  part: v.optional(whole),
  join: optionalText,
  script: v.optional(oneOf(scripts)),
  language: v.optional(oneOf(languages)),
})
export const ImportMapping = v.object({
  kind: oneOf(kindKeys),
  sheet: whole,
  header_row: whole,
  match: oneOf(matches),
  language: v.optional(oneOf(languages)),
  rules: v.array(ImportRule),
  assertion: v.array(v.object({ member: oneOf(sourceMembers), column: optionalText, constant: optionalText })),
})
export const KeptImportMapping = v.object({ name: text, mapping: ImportMapping, created_at: time, updated_at: time })
export const KeptImportMappings = v.object({ results: v.array(KeptImportMapping) })

const Person = v.object({ id: uuid, username: text })
const counts = v.object({ new: whole, same: whole, changes: whole, doubtful: whole, conflict: whole, refused: whole })
const made = v.object({ created: whole, amended: whole, left: whole, failed: whole })

/** A table that somebody has sent. `counts` is what the dry run said, `made` what the run did, `progress` what goes on. */
export const ImportRow = v.object({
  id: uuid,
  file_name: text,
  format: oneOf(formats),
  size: whole,
  state: oneOf(states),
  contributor: maybe(Person),
  kind: maybe(oneOf(kindKeys)),
  counts: maybe(counts),
  made,
  progress: maybe(v.object({ task: oneOf(tasks), done: whole, of: whole })),
  failed: maybe(text),
  files_until: maybe(time),
  created_at: time,
  updated_at: time,
})

export const ImportColumn = v.object({
  name: text,
  filled: whole,
  samples: v.array(text),
  /** The field that it was taken for, by its header, by its values or by names of known records in it, and how sure that is, from 0 to 1; null: it was not understood. */
  guess: maybe(text),
  by: maybe(oneOf(['header', 'values', 'names'])),
  sure: v.number(),
})

export const ImportSheet = v.object({
  name: text,
  hidden: v.boolean(),
  rows: whole,
  columns: whole,
  formulas: whole,
  merged: whole,
})

/** `told` says what was decided about the file without being asked. `report_url` is the dry run as CSV that can be corrected and sent again. */
export const ImportDetail = v.object({
  ...ImportRow.entries,
  sha256: maybe(text),
  sheets: v.array(ImportSheet),
  told: v.array(text),
  mapping: maybe(ImportMapping),
  columns: v.array(ImportColumn),
  waiting: whole,
  /** What came of the last verdict on the batch: how many records were left, and the different reasons for that. */
  decided: maybe(v.object({ records: whole, left: whole, reasons: v.array(text) })),
  kept: v.array(uuid),
  report_url: maybe(text),
})

export const AnnouncedImport = v.object({
  import_id: uuid,
  upload: v.object({ url: text, fields: v.record(text, text), expires_at: time }),
})

const Change = v.object({ field: text, from: text, to: text })
export const ImportTableRow = v.object({
  row: whole,
  outcome: oneOf(outcomes),
  name: text,
  entity_id: maybe(uuid),
  faults: v.array(
    v.object({
      field: text,
      column: maybe(text),
      value: text,
      message: text,
      legal: v.optional(v.array(text)),
      nearest: optionalText,
    }),
  ),
  alike: v.array(
    v.object({
      entity_id: maybe(uuid),
      row: maybe(whole),
      name: text,
      how: oneOf(['same_identity', 'same_name', 'close']),
      likeness: v.number(),
    }),
  ),
  changes: v.array(Change),
  conflicts: v.array(Change),
  makes: v.array(v.object({ kind: text, name: text })),
  run: maybe(v.object({ what: oneOf(['created', 'amended', 'left', 'failed']), reason: text })),
  record: maybe(
    v.object({ kind: oneOf(kindKeys), id: whole, status: oneOf(statuses), open_flags: whole, deleted: v.boolean() }),
  ),
})

/** A batch as a line of the queue: its rows are at `/data/imports/{id}/rows/`. */
export const ImportBatch = v.object({
  id: uuid,
  file_name: text,
  kind: maybe(oneOf(kindKeys)),
  contributor: maybe(Person),
  waiting: whole,
  made,
  created_at: time,
})
