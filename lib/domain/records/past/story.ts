import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { Say } from '../../../base/language/catalogue.ts'
import { phrase } from '../../../base/language/languages.ts'
import * as s from '../../../base/shapes.ts'
import type { PageRequest } from '../../../engines/table/index.ts'
import { listBody, sliceOf } from '../../../platform/http/page.ts'
import type { Request } from '../../../platform/http/request.ts'
import { DateShownView, type DateStyle } from '../../../platform/http/shown-dates.ts'
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
import { publicationsOf, revisionOfPublication } from './publications.ts'
import { guardedValues, tierOf } from './told.ts'

/**
 * The history of a record for people: who did what, the verdict, and the changes field by field. Everyone reads the public
 * states. Those who work on the record also read waiting and refused revisions.
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

/** The `description` of routes that return a history. */
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
        /** Set if the author corrected a value that was theirs alone. */
        is_correction: v.optional(v.literal(true)),
        /** Only for dates: both values in the calendar of the query. */
        dates: v.optional(v.object({ before: s.maybe(DateShownView), after: s.maybe(DateShownView) })),
      }),
    ),
  }),
)

/** Returns one page of the history, newest first. Two calls, and one more for each hundred records that the values name. */
export async function storyPage(
  history: History,
  actor: Actor | null,
  page: PageRequest,
  request: Request,
  showing: DateStyle | undefined,
) {
  const visible = await showRecord(actor, history)
  const all = entriesOf(visible, actor)
  const entries = sliceOf(all, page)
  const people = await peopleOf(
    entries
      .flatMap(({ revision, decision }) => [revision?.created_by, decision?.reviewer_id])
      .filter((id) => id !== undefined),
  )
  const values = entries.flatMap(({ between = [] }) => between.map((data) => ({ kind: visible.kind, data })))
  const dating = await loadDateDisplay(values, showing, actor)
  return listBody(request, page, {
    count: all.length,
    results: entries.map((entry) => rowOf(visible, entry, { actor, people, say: request.say, dating })),
  })
}

/** Lists all entries, newest first. Of two entries with the same time, the one that is later in the array below comes first. */
function entriesOf(history: Visible<History>, actor: Actor | null): Entry[] {
  const isInsider = worksOn(actor, history)
  return [
    ...(isInsider ? [...sentInEntries(history), ...refusedEntries(history)] : []),
    ...publishedEntries(history, actor, isInsider),
    ...absenceEntries(history),
  ]
    .map((entry, i) => ({ entry, i }))
    .sort((a, b) => (a.entry.at === b.entry.at ? b.i - a.i : a.entry.at < b.entry.at ? 1 : -1))
    .map(({ entry }) => entry)
}

/**
 * Lists the publications, each compared with the previous publication that this reader could read. A publication that changed nothing
 * is shown as a decision to those who work on the record, and to nobody else.
 */
function publishedEntries(history: Visible<History>, actor: Actor | null, isInsider: boolean): Entry[] {
  let before: RecordItem['data'] | undefined
  return publicationsOf(history, history.decisions).flatMap((publication): Entry[] => {
    const revision = revisionOfPublication(history.revisions, publication)
    if (!revision || !(isInsider || maySeeTier(actor, tierOf(revision)))) return []
    const after = guardedValues(history, revision, actor)
    if (before && isDeepStrictEqual(before, after))
      return isInsider && publication.decision ? [decidedEntry(history, publication.decision)] : []
    const entry: Entry = {
      at: publication.at,
      event: before ? 'changed' : 'published',
      revision,
      decision: publication.decision,
      between: [before ?? {}, after],
    }
    before = after
    return [entry]
  })
}

/**
 * Lists the revisions that contributors sent in, each compared with the previous revision. A reviewer's own revision
 * appears with the verdict instead.
 */
function sentInEntries({ revisions, decisions }: Visible<History>): Entry[] {
  const oldestFirst = revisions.toSorted((a, b) => a.revision_number - b.revision_number)
  const byReviewers = new Set(
    decisions.flatMap(({ accepted_revision, revision_reviewed }) =>
      accepted_revision === revision_reviewed ? [] : [accepted_revision],
    ),
  )
  return oldestFirst.flatMap((revision, i): Entry[] => {
    if (byReviewers.has(revision.revision_number)) return []
    const before = oldestFirst[i - 1]?.data ?? {}
    return [
      { at: revision.created_at, event: 'sent_in', revision, decision: undefined, between: [before, revision.data] },
    ]
  })
}

const refusedEntries = ({ decisions, revisions }: Visible<History>): Entry[] =>
  decisions
    .filter(({ accepted_revision }) => accepted_revision === null)
    .map((decision) => decidedEntry({ revisions }, decision))

/** The entry of a decision that changed nothing, with the revision that was reviewed. */
const decidedEntry = ({ revisions }: Pick<History, 'revisions'>, decision: Decision): Entry => ({
  at: decision.created_at,
  event: 'decided',
  revision: revisions.find(({ revision_number }) => revision_number === decision.revision_reviewed),
  decision,
})

const absenceEntries = ({ absences = [] }: RecordItem): Entry[] =>
  absences.flatMap(({ from, until }): Entry[] => [
    { at: from, event: 'deleted', revision: undefined, decision: undefined },
    { at: until, event: 'restored', revision: undefined, decision: undefined },
  ])

type ReaderContext = { actor: Actor | null; people: PeopleById; say: Say; dating: DateDisplay }

function rowOf(history: Visible<History>, { at, event, revision, decision, between }: Entry, reader: ReaderContext) {
  const { actor, people } = reader
  return {
    at,
    event,
    revision_number: revision?.revision_number ?? null,
    author: revision ? people(revision.created_by) : null,
    verdict: decision?.verdict ?? null,
    decided_by: decision ? people(decision.reviewer_id) : null,
    note: decision ? noteOf(decision, worksOn(actor, history)) : '',
    changes: between
      ? differenceOf(history, ...between).map((change) => ({
          ...changeView(history, change, between, reader),
          ...(isCorrectionIn(decision, change.field) && { is_correction: true as const }),
        }))
      : [],
  }
}

/** Returns the note of a verdict. Only those who work on the record see `feedback`, which addresses the contributor. */
const noteOf = ({ reconciliation_note, feedback }: Decision, isInsider: boolean): string =>
  (isInsider && feedback) || reconciliation_note

const isCorrectionIn = (decision: Decision | undefined, field: string): boolean =>
  decision?.outcomes.some(({ property, rule }) => property === field && rule === 'corrected') ?? false

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

/** Writes a value as text in the reader's language. Null if it is absent. */
function valueText(field: Field | undefined, value: unknown, say: Say): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return say(value ? phrase('Yes') : phrase('No'))
  const text = textOf(value)
  const option = field?.vocabulary && optionsOf(field.vocabulary).find((candidate) => candidate.value === text)
  return option ? say(option.label) : text
}
