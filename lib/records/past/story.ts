import { listBody, type PageRequest, sliceOf } from '../../http/page.ts'
import type { Request } from '../../http/request.ts'
import type { Showing } from '../../http/showing.ts'
import { type Field, kinds } from '../../kinds/index.ts'
import { optionsOf } from '../../kinds/schema/enums.ts'
import type { Say } from '../../language/catalogue.ts'
import { phrase } from '../../language/phrase.ts'
import { textOf } from '../../names/text.ts'
import { type Actor, maySeeTier, openTier, worksOn } from '../../permissions.ts'
import { type PeopleById, peopleOf } from '../../users/people.ts'
import type { History } from '../history.ts'
import type { Decision, RecordItem, Revision } from '../items.ts'
import { type Shown, shownOne } from '../shown.ts'
import { type Dating, datingOf, isDate } from '../views/dates.ts'
import { differenceOf } from '../views/difference.ts'
import { valuesFor } from '../views/record.ts'
import { publicationsOf, revisionOf, stricterTier } from './publications.ts'

/**
 * The history of a record as a person reads it: what was done, by whom, what the verdict was, and what differed since, field
 * by field. Everyone reads of what was public; those who work on the record read of what waited and was refused as well.
 */

/** What happened: an event of the list. */
export const storyEvents = ['sent_in', 'published', 'changed', 'decided', 'deleted', 'restored'] as const

type Entry = {
  at: string
  event: (typeof storyEvents)[number]
  /** Whose revision it is about. */
  revision: Revision | undefined
  decision: Decision | undefined
  /** Before and after, where something differs. */
  between?: readonly [RecordItem['data'], RecordItem['data']]
}

/** A page of it, newest first. Two calls, and one more for each hundred things that the values name. */
export async function storyPage(
  it: History,
  actor: Actor | null,
  page: PageRequest,
  request: Request,
  showing: Showing | undefined,
) {
  const seen = await shownOne(actor, it)
  const all = entriesOf(seen, actor)
  const some = sliceOf(all, page)
  const people = await peopleOf(
    some
      .flatMap(({ revision, decision }) => [revision?.created_by, decision?.reviewer_id])
      .filter((id) => id !== undefined),
  )
  const values = some.flatMap(({ between = [] }) => between.map((data) => ({ kind: seen.kind, data })))
  const dating = await datingOf(values, showing, actor)
  return listBody(request, page, {
    count: all.length,
    results: some.map((each) => rowOf(seen, each, { actor, people, say: request.say, dating })),
  })
}

/** Everything that this reader may know of, newest first. */
function entriesOf(it: Shown<History>, actor: Actor | null): Entry[] {
  const inside = worksOn(actor, it)
  return [...(inside ? [...sentIn(it), ...refusedIn(it)] : []), ...publishedIn(it, actor, inside), ...absencesOf(it)]
    .map((entry, i) => ({ entry, i }))
    .sort((a, b) => (a.entry.at === b.entry.at ? b.i - a.i : a.entry.at < b.entry.at ? 1 : -1))
    .map(({ entry }) => entry)
}

/** What became public, each beside what this reader could read before it. */
function publishedIn(it: Shown<History>, actor: Actor | null, inside: boolean): Entry[] {
  let before: RecordItem['data'] | undefined
  return publicationsOf(it, it.decisions).flatMap((each): Entry[] => {
    const revision = revisionOf(it.revisions, each)
    if (!revision || !(inside || maySeeTier(actor, tierOf(revision)))) return []
    const after = guardedIn(it, revision, actor)
    const entry: Entry = {
      at: each.at,
      event: before ? 'changed' : 'published',
      revision,
      decision: each.decision,
      between: [before ?? {}, after],
    }
    before = after
    return [entry]
  })
}

/** What was handed in, beside the revision before it. What reviewers made of it on accepting is told with their verdict. */
function sentIn(it: Shown<History>): Entry[] {
  const oldestFirst = it.revisions.toSorted((a, b) => a.revision_number - b.revision_number)
  const byReviewers = new Set(
    it.decisions.flatMap((each) => (each.accepted_revision === each.revision_reviewed ? [] : [each.accepted_revision])),
  )
  return oldestFirst.flatMap((revision, i): Entry[] => {
    if (byReviewers.has(revision.revision_number)) return []
    const before = oldestFirst[i - 1]?.data ?? {}
    return [
      { at: revision.created_at, event: 'sent_in', revision, decision: undefined, between: [before, revision.data] },
    ]
  })
}

const refusedIn = (it: Shown<History>): Entry[] =>
  it.decisions
    .filter(({ accepted_revision }) => accepted_revision === null)
    .map((decision) => ({
      at: decision.created_at,
      event: 'decided',
      revision: it.revisions.find((each) => each.revision_number === decision.revision_reviewed),
      decision,
    }))

const absencesOf = ({ absences = [] }: RecordItem): Entry[] =>
  absences.flatMap(({ from, until }): Entry[] => [
    { at: from, event: 'deleted', revision: undefined, decision: undefined },
    { at: until, event: 'restored', revision: undefined, decision: undefined },
  ])

const tierOf = ({ data }: Revision): string => textOf(data.access_tier) || openTier

/** The values of a revision as this reader may know them: a place that is or was guarded is rounded. */
const guardedIn = (it: Shown<History>, revision: Revision, actor: Actor | null) =>
  valuesFor({ ...it, access_tier: stricterTier(it.access_tier, tierOf(revision)) }, revision.data, actor)

/** Who reads it, in whose language. */
type Reading = { actor: Actor | null; people: PeopleById; say: Say; dating: Dating }

function rowOf(it: Shown<History>, { at, event, revision, decision, between }: Entry, reading: Reading) {
  const { actor, people } = reading
  return {
    at,
    event,
    revision_number: revision?.revision_number ?? null,
    author: revision ? people(revision.created_by) : null,
    verdict: decision?.verdict ?? null,
    decided_by: decision ? people(decision.reviewer_id) : null,
    note: decision ? noteOf(decision, worksOn(actor, it)) : '',
    changes: between ? differenceOf(it, ...between).map((each) => changeIn(it, each, between, reading)) : [],
  }
}

/** The words of the verdict: those to the contributor are for those who work on the record. */
const noteOf = ({ reconciliation_note, feedback }: Decision, inside: boolean): string =>
  (inside && feedback) || reconciliation_note

type Difference = ReturnType<typeof differenceOf>[number]
function changeIn(
  { kind }: History,
  { field, label, change, old, new: next }: Difference,
  between: readonly [RecordItem['data'], RecordItem['data']],
  { say, dating }: Reading,
) {
  const declared = kinds[kind].fields[field]
  const told = {
    field,
    label: say(label),
    change,
    before: inWords(declared, old, say),
    after: inWords(declared, next, say),
  }
  if (!isDate(kind, field)) return told
  const [before, after] = between.map((data) => dating.of({ of: { kind, data }, member: field, words: data[field] }))
  return before === undefined || after === undefined ? told : { ...told, dates: { before, after } }
}

/** A value as a person reads it; null where there is none. */
function inWords(field: Field | undefined, value: unknown, say: Say): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return say(value ? phrase('Yes') : phrase('No'))
  const text = textOf(value)
  const option = field?.vocabulary && optionsOf(field.vocabulary).find((each) => each.value === text)
  return option ? say(option.label) : text
}
