import { mapWithinBudget } from '../../base/telemetry/budget.ts'
import { withLabels } from '../../domain/labels/labels.ts'
import { get, type PageRequest } from '../../engines/table/index.ts'
import { listBody } from '../../platform/http/page.ts'
import type { Request } from '../../platform/http/request.ts'
import { peopleOf } from '../../platform/users/people.ts'
import { type Difference, partsAround } from './difference.ts'
import { type Citation, citation, loadEntries, RECORDS_IN_PART } from './items.ts'
import { addressOfQuestion, titleOf } from './question.ts'
import { nameOfEntry, type Resolved, resolveEntries } from './resolve.ts'
import type { WithdrawalRule } from './view-shape.ts'

/** What each rule means, in words for readers. */
const reasons: Readonly<Record<WithdrawalRule, string>> = {
  deleted: 'The record was deleted.',
  restricted: 'Not everyone may read the record any more.',
  taken_back: 'The revision was taken back, so it counts as never public.',
  link_withdrawn: 'The record is as it was, without links to what not everyone may read any more.',
}

export const loadCitation = (id: string): Promise<Citation | undefined> => get(citation, { id })

/** The address of a citation. */
export const citationUrl = (id: string, origin: string): string => `${origin}/data/citations/${id}/`

/** A citation without its records. Contributors have their names of today: `former-contributor-...` for one who left. One call. */
export async function headView({ question, ...it }: Citation, origin: string) {
  const people = await peopleOf(it.contributors)
  return {
    id: it.id,
    url: citationUrl(it.id, origin),
    of: addressOfQuestion(question, origin),
    title: titleOf(question),
    at: it.at,
    count: it.count,
    digest: it.digest,
    kinds: it.kinds,
    licences: it.licences,
    contributors: it.contributors.map((id) => {
      const { username = '', first_name = '', last_name = '' } = people(id) ?? {}
      return { id, username, name: `${first_name} ${last_name}`.trim() || username }
    }),
    contributor_count: it.contributor_count,
  }
}

/** Records that are resolved together at first. The cost decides how many follow. */
const TOLD_AT_ONCE = 10

/** A citation with a page of its records, as they were. A page of large records has fewer than `limit`. */
export async function citationView(it: Citation, page: PageRequest, request: Request) {
  const { limit, offset } = page
  const [first, last] = partsAround(offset, limit)
  const entries = offset < it.count ? await loadEntries(it.id, first, last) : []
  const start = offset - first * RECORDS_IN_PART
  const told = await mapWithinBudget(entries.slice(start, start + limit), TOLD_AT_ONCE, resolveEntries)
  const results = told.results.map(recordView)
  const holds = results.every((result) => result.holds)
  return { ...(await headView(it, request.origin)), holds, ...listBody(request, page, { count: it.count, results }) }
}

function recordView({ entry, row, rule, gone }: Resolved) {
  return {
    ...nameOfEntry(entry),
    revision: entry.revision,
    name: row?.name ?? null,
    values: row?.values ?? null,
    digest: entry.digest,
    ...withLabels(row?.labels ?? []),
    holds: rule === undefined,
    withdrawn: rule ? { rule, why: reasons[rule], links: [...gone] } : null,
  }
}

/** A difference as JSON. A record that not everyone may read any more is named, without its values. */
export const differenceView = ({ change, about, row, rule }: Difference) => ({
  change,
  ...about,
  revision: row?.revision ?? null,
  name: row?.name ?? null,
  values: row?.values ?? null,
  digest: row?.digest ?? null,
  ...withLabels(row?.labels ?? []),
  withdrawn: rule ? { rule, why: reasons[rule] } : null,
})
