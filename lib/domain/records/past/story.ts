import * as v from 'valibot'
import type { Say } from '../../../base/language/catalogue.ts'
import { phrase } from '../../../base/language/languages.ts'
import * as s from '../../../base/shapes.ts'
import { openTier } from '../../../base/visibility.ts'
import { listBody, type PageRequest, sliceOf } from '../../../platform/http/page.ts'
import type { Request } from '../../../platform/http/request.ts'
import { DateShownView, type Showing } from '../../../platform/http/showing.ts'
import { type Actor, maySeeTier, worksOn } from '../../../platform/permissions.ts'
import { type PeopleById, peopleOf, UserCardView } from '../../../platform/users/people.ts'
import { type Field, kinds } from '../../kinds/index.ts'
import { optionsOf } from '../../kinds/schema/enums.ts'
import { textOf } from '../../names/text.ts'
import type { History } from '../history.ts'
import type { Decision, RecordItem, Revision } from '../items.ts'
import { verdicts } from '../rules/verdicts.ts'
import { showRecord, type Visible } from '../shown.ts'
import { type DateDisplay, isDate, loadDateDisplay } from '../views/dates.ts'
import { differenceOf } from '../views/difference.ts'
import { visibleValues } from '../views/record.ts'
import { publicationsOf, revisionOfPublication, stricterTier } from './publications.ts'

/**
 * The history of a record as a person reads it: who did what, the verdict, and what changed, field by field. Everyone reads what
 * was public. Those who work on the record also read what waited and what was refused.
 */

const storyEvents = ['sent_in', 'published', 'changed', 'decided', 'deleted', 'restored'] as const

type Entry = {
  at: string
  event: (typeof storyEvents)[number]
  /** The revision that was sent in, published or refused. */
  revision: Revision | undefined
  decision: Decision | undefined
  /** The values before and after. */
  between?: readonly [RecordItem['data'], RecordItem['data']]
}

/** The `description` of routes that answer a history. */
export const ABOUT_HISTORY =
  'Newest first: what became public, who wrote it and who accepted it, and what differed, field by field. Those who work on the record read of what waited and was refused as well.'

export const StoryEntryView = s.shape('StoryEntry', () =>
  v.object({
    at: s.time,
    event: s.oneOf(storyEvents),
    revision_number: s.maybe(s.whole),
    author: s.maybe(UserCardView),
    verdict: s.maybe(s.oneOf(verdicts)),
    decided_by: s.maybe(UserCardView),
    note: s.text,
    changes: v.array(
      v.object({
        field: s.text,
        label: s.text,
        change: s.oneOf(['added', 'removed', 'changed']),
        before: s.maybe(s.text),
        after: s.maybe(s.text),
        /** Only for dates: both values in the calendar of the query. */
        dates: v.optional(v.object({ before: s.maybe(DateShownView), after: s.maybe(DateShownView) })),
      }),
    ),
  }),
)

/** One page of the history, newest first. Two calls, and one more for each hundred things that the values name. */
export async function storyPage(
  it: History,
  actor: Actor | null,
  page: PageRequest,
  request: Request,
  showing: Showing | undefined,
) {
  const seen = await showRecord(actor, it)
  const all = entriesOf(seen, actor)
  const some = sliceOf(all, page)
  const people = await peopleOf(
    some
      .flatMap(({ revision, decision }) => [revision?.created_by, decision?.reviewer_id])
      .filter((id) => id !== undefined),
  )
  const values = some.flatMap(({ between = [] }) => between.map((data) => ({ kind: seen.kind, data })))
  const dating = await loadDateDisplay(values, showing, actor)
  return listBody(request, page, {
    count: all.length,
    results: some.map((each) => rowOf(seen, each, { actor, people, say: request.say, dating })),
  })
}

/** Newest first. At the same moment the later one in these lists counts as newer. */
function entriesOf(it: Visible<History>, actor: Actor | null): Entry[] {
  const inside = worksOn(actor, it)
  return [
    ...(inside ? [...sentInEntries(it), ...refusedEntries(it)] : []),
    ...publishedEntries(it, actor, inside),
    ...absenceEntries(it),
  ]
    .map((entry, i) => ({ entry, i }))
    .sort((a, b) => (a.entry.at === b.entry.at ? b.i - a.i : a.entry.at < b.entry.at ? 1 : -1))
    .map(({ entry }) => entry)
}

/** The publications, each compared with the previous one that this reader could read. */
function publishedEntries(it: Visible<History>, actor: Actor | null, inside: boolean): Entry[] {
  let before: RecordItem['data'] | undefined
  return publicationsOf(it, it.decisions).flatMap((each): Entry[] => {
    const revision = revisionOfPublication(it.revisions, each)
    if (!revision || !(inside || maySeeTier(actor, tierOf(revision)))) return []
    const after = guardedValues(it, revision, actor)
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

/**
 * The revisions that contributors sent in, each compared with the one before. A reviewer's own revision appears with
 * the verdict instead.
 */
function sentInEntries(it: Visible<History>): Entry[] {
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

const refusedEntries = (it: Visible<History>): Entry[] =>
  it.decisions
    .filter(({ accepted_revision }) => accepted_revision === null)
    .map((decision) => ({
      at: decision.created_at,
      event: 'decided',
      revision: it.revisions.find((each) => each.revision_number === decision.revision_reviewed),
      decision,
    }))

const absenceEntries = ({ absences = [] }: RecordItem): Entry[] =>
  absences.flatMap(({ from, until }): Entry[] => [
    { at: from, event: 'deleted', revision: undefined, decision: undefined },
    { at: until, event: 'restored', revision: undefined, decision: undefined },
  ])

const tierOf = ({ data }: Revision): string => textOf(data.access_tier) || openTier

/** The values of a revision as this reader may know them. A place is rounded if it is guarded today or was then. */
const guardedValues = (it: Visible<History>, revision: Revision, actor: Actor | null) =>
  visibleValues({ ...it, access_tier: stricterTier(it.access_tier, tierOf(revision)) }, revision.data, actor)

type ReaderContext = { actor: Actor | null; people: PeopleById; say: Say; dating: DateDisplay }

function rowOf(it: Visible<History>, { at, event, revision, decision, between }: Entry, reading: ReaderContext) {
  const { actor, people } = reading
  return {
    at,
    event,
    revision_number: revision?.revision_number ?? null,
    author: revision ? people(revision.created_by) : null,
    verdict: decision?.verdict ?? null,
    decided_by: decision ? people(decision.reviewer_id) : null,
    note: decision ? noteOf(decision, worksOn(actor, it)) : '',
    changes: between ? differenceOf(it, ...between).map((each) => changeView(it, each, between, reading)) : [],
  }
}

/** The note of a verdict. Only those who work on the record see `feedback`, which addresses the contributor. */
const noteOf = ({ reconciliation_note, feedback }: Decision, inside: boolean): string =>
  (inside && feedback) || reconciliation_note

type Difference = ReturnType<typeof differenceOf>[number]
function changeView(
  { kind }: History,
  { field, label, change, old, new: next }: Difference,
  between: readonly [RecordItem['data'], RecordItem['data']],
  { say, dating }: ReaderContext,
) {
  const declared = kinds[kind].fields[field]
  const row = {
    field,
    label: say(label),
    change,
    before: valueText(declared, old, say),
    after: valueText(declared, next, say),
  }
  if (!isDate(kind, field)) return row
  const [before, after] = between.map((data) =>
    dating.dateOf({ of: { kind, data }, member: field, words: data[field] }),
  )
  return before === undefined || after === undefined ? row : { ...row, dates: { before, after } }
}

/** A value as text in the reader's language. Null where there is none. */
function valueText(field: Field | undefined, value: unknown, say: Say): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return say(value ? phrase('Yes') : phrase('No'))
  const text = textOf(value)
  const option = field?.vocabulary && optionsOf(field.vocabulary).find((each) => each.value === text)
  return option ? say(option.label) : text
}
