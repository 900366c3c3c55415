import { createHash } from 'node:crypto'
import { newId, now } from '../../base/clock.ts'
import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { config } from '../../base/config.ts'
import { invalid } from '../../base/errors.ts'
import { isSettled, type LoadedRecord } from '../../domain/records/items.ts'
import { loadRecordById } from '../../domain/records/load.ts'
import { showRecords } from '../../domain/records/shown.ts'
import { loadLicences } from '../../domain/sources/sources.ts'
import { put, type UnitOfWork } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import {
  type Citation,
  type CitedEntry,
  citation,
  citationPart,
  lineOf,
  type Question,
  RECORDS_IN_PART,
} from './items.ts'
import { findAnswers } from './question.ts'
import { citeRows, entryOfRow } from './rows.ts'

/** The most records of a citation: one transaction keeps them, and one request reads them all. */
export const citationLimits = { records: 2000 }
/** Contributors whose ids a citation keeps. */
const MOST_NAMED = 100
/** Records that are held in memory together, and queries that run in parallel. */
const RECORDS_AT_ONCE = 100
const QUERIES_AT_ONCE = 20

/**
 * Keeps a question with the moment, the count and the digest of its answer. Fails with `invalid` if the answer has too many records.
 * Costs one query for each record, and a few calls for each hundred.
 */
export async function cite(unit: UnitOfWork, question: Question): Promise<Citation> {
  const { ids, count } = await findAnswers(question, citationLimits.records)
  if (count > citationLimits.records)
    throw invalid({
      of: [
        `A citation holds ${citationLimits.records} records at most, and this has ${count}. Narrow it, or cite its parts.`,
      ],
    })
  const entries: CitedEntry[] = []
  const kinds = new Map<string, number>()
  const credits = new Credits()
  for (const part of splitIntoParts(ids, RECORDS_AT_ONCE)) {
    const loaded = await mapAtOnce(part, QUERIES_AT_ONCE, loadRecordById)
    // The model may be a moment behind the table.
    const open = loaded
      .filter((it) => it !== undefined)
      .filter((it) => it.accepted_revision !== null && maySee(null, it))
    entries.push(...(await citeRows(open.map((row) => ({ row })))).map(entryOfRow))
    for (const { kind } of open) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    await credits.add(open)
  }
  const id = newId()
  const parts = splitIntoParts(entries, RECORDS_IN_PART)
  const made: Citation = {
    id,
    question,
    at: now(),
    count: entries.length,
    digest: digestOfEntries(entries),
    kinds: Object.fromEntries([...kinds].sort()),
    licences: credits.licences(),
    contributors: credits.contributors().slice(0, MOST_NAMED),
    contributor_count: credits.contributors().length,
    starts: parts.map(([first]) => first?.entity_id ?? ''),
    version: 1,
  }
  const stored = parts.map((part, number) =>
    put(citationPart, { id, number, lines: part.map(lineOf), version: 1 }, undefined),
  )
  unit.add([put(citation, made, undefined), ...stored])
  return made
}

/** SHA-256 over a line for each record: its review identity, its revision and the digest of its row. */
function digestOfEntries(entries: readonly CitedEntry[]): string {
  const lines = entries.map(({ entity_id, revision, digest }) => `${entity_id} ${revision} ${digest}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** Who contributed the values that everyone may read, and by which licences. */
class Credits {
  readonly #values = new Map<string, number>()
  readonly #licences = new Set<string>(config.EXPORT_LICENCE === '' ? [] : [config.EXPORT_LICENCE])

  /** Adds the contributors and licences of these records. One call for each hundred links, people and sources, and one for licences. */
  async add(records: readonly LoadedRecord[]): Promise<void> {
    const claims = (await showRecords(null, records)).flatMap((it) => it.assertions.filter(isSettled))
    for (const { contributor_id } of [...records, ...claims])
      this.#values.set(contributor_id, (this.#values.get(contributor_id) ?? 0) + 1)
    const sources = claims.flatMap(({ source, supporting_sources }) =>
      source ? [source, ...supporting_sources] : supporting_sources,
    )
    for (const licence of (await loadLicences([...new Set(sources)])).values()) this.#licences.add(licence)
  }

  licences(): string[] {
    return [...this.#licences].sort()
  }

  /** Ids of users, those with the most values first. */
  contributors(): string[] {
    return [...this.#values].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([id]) => id)
  }
}
