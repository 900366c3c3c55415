import type { Links } from '../files/blobs.ts'
import { disposition } from '../files/names.ts'
import { type Actor, worksOn } from '../permissions.ts'
import type { PeopleById } from '../users/people.ts'
import type { Batch } from './imports.ts'
import type { Import, KeptMapping } from './items.ts'
import type { KeptColumns } from './read.ts'
import { reportKey } from './report.ts'
import type { ListedRow } from './row-list.ts'

/** How imports look on the wire. */

const person = (people: PeopleById, id: string) => {
  const card = people(id)
  return card && { id: card.id, username: card.username }
}

/** A row of the list of imports. */
export const importRow = (it: Import, people: PeopleById) => ({
  id: it.id,
  file_name: it.file_name,
  format: it.format,
  size: it.size,
  state: it.state,
  contributor: person(people, it.contributor_id),
  kind: it.mapping?.kind ?? null,
  counts: it.counts,
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
    people,
    columns,
    waiting,
    link,
  }: { people: PeopleById; columns: KeptColumns | undefined; waiting: number; link: Links },
) {
  const of = new Map(columns?.guesses.map((guess) => [guess.column, guess]))
  const named = it.file_name.replace(/\.[^.]*$/, '')
  return {
    ...importRow(it, people),
    sha256: it.sha256,
    sheets: it.sheets,
    told: it.told,
    mapping: it.mapping,
    columns: (columns?.columns ?? []).map(({ name, filled, samples }) => {
      const { field = null, by = null, sure = 0 } = of.get(name) ?? {}
      return { name, filled, samples, guess: field, by, sure }
    }),
    waiting,
    decided: it.decided,
    kept: it.kept,
    report_url:
      it.counts && it.files_until
        ? await link(reportKey(it.id), {
            type: 'text/csv; charset=utf-8',
            disposition: disposition('attachment', `${named} report.csv`),
          })
        : null,
  }
}

/** A batch as a line of the queue. */
export const batchLine = ({ about, waiting }: Batch, people: PeopleById) => ({
  id: about.id,
  file_name: about.file_name,
  kind: about.mapping?.kind ?? null,
  contributor: person(people, about.contributor_id),
  waiting,
  made: about.made,
  created_at: about.created_at,
})

/** A row of a table with what the dry run and the run say of it, and how the record stands, to those who work on that. */
export const rowView = ({ result: it, run, head }: ListedRow, actor: Actor | null) => ({
  row: it.row,
  outcome: it.outcome,
  name: it.name,
  entity_id: run?.entity_id ?? it.entity_id,
  faults: it.faults,
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
          open_flags: head.open_flags,
          deleted: head.deleted_at !== null,
        }
      : null,
})

export const mappingView = ({ name, mapping, created_at, updated_at }: KeptMapping) => ({
  ...{ name, mapping, created_at, updated_at },
})
