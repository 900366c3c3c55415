import type { PageRequest } from '../lib/engines/table/index.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { kinds } from '../lib/domain/kinds/index.ts'
import { ABOUT_LABELS, LabelsBody } from '../lib/domain/labels/input.ts'
import { LabelView, labelsView } from '../lib/domain/labels/labels.ts'
import { type History, loadHistory, loadHistoryOf } from '../lib/domain/records/history.ts'
import { type Revision, recordItem } from '../lib/domain/records/items.ts'
import { labelRecord } from '../lib/domain/records/labels.ts'
import { pastRecord } from '../lib/domain/records/past/record.ts'
import { ABOUT_HISTORY, StoryEntryView, storyPage } from '../lib/domain/records/past/story.ts'
import { CalendarQuery, DatedEntityQuery, DiffQuery, ExplainQuery } from '../lib/domain/records/queries.ts'
import { showRecord, type Visible } from '../lib/domain/records/shown.ts'
import { loadDateDisplay } from '../lib/domain/records/views/dates.ts'
import { ExplanationView, explainProperties, mayRead, settlersOf } from '../lib/domain/records/views/explain.ts'
import {
  DifferenceView,
  diffView,
  RevisionRowView,
  revisionRow,
  visibleRevisions,
} from '../lib/domain/records/views/revision.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import type { CalendarKey } from '../lib/engines/calendars/index.ts'
import { get } from '../lib/engines/table/index.ts'
import { listOf, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody, sliceOf } from '../lib/platform/http/page.ts'
import { ByEntity, ById } from '../lib/platform/http/params.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { changeRoute, listRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { dateStyleOf } from '../lib/platform/http/shown-dates.ts'
import { type Actor, mayInspect } from '../lib/platform/permissions.ts'
import { peopleOf } from '../lib/platform/users/people.ts'
import { activities } from './revisions/activities.ts'

/** Loads the history of a record. `id` is the id of the record or of an item in its partition, such as a revision. */
async function historyWith({ id }: { id: string }) {
  const it = await loadHistoryOf(id)
  return it && { ...it, wanted: id }
}

const LabelsView = s.shape('Labels', () => v.object({ labels: v.array(LabelView) }))
const loadHead = ({ entity_id }: { entity_id: string }) => get(recordItem, { entity_id })

/** The history of a record, the differences of its revisions, and the reasons of its values. */
export const routes = withTables({
  'GET /data/revisions/': listRoute({
    permission: 'history.list',
    summary: 'List the revisions of a record',
    answer: listOf(RevisionRowView),
    query: DatedEntityQuery,
    handle: async ({ query, actor, page, request }) => {
      const it = await loadHistory(query.entity)
      const seen = it && mayInspect(actor, it) ? await showRecord(actor, it) : undefined
      return revisionList(seen, { actor, page, request, calendar: query.calendar })
    },
  }),

  'GET /data/revisions/{id}/': readRoute({
    permission: 'history.read',
    summary: 'Read a revision',
    answer: ok(RevisionRowView),
    params: ById,
    subject: historyWith,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, request }) => {
      const it = await showRecord(actor, subject)
      const found = visibleRevisions(it, actor).find(({ revision_id }) => revision_id === it.wanted)
      if (!found) throw notFound()
      const row = revisionRow(it, found, actor, await peopleOf([found.created_by]))
      const of = { kind: it.kind, data: found.data }
      return (await loadDateDisplay([of], dateStyleOf(request, query.calendar), actor)).addDates(row, of)
    },
  }),

  // The id is that of a revision, or of the record.
  'GET /data/revisions/{id}/entity_history/': readRoute({
    permission: 'history.read',
    summary: 'List the revisions of the record that a revision is of',
    answer: listOf(RevisionRowView),
    params: ById,
    subject: historyWith,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, page, request }) => {
      const named = visibleRevisions(subject, actor).some((it) => it.revision_id === subject.wanted)
      if (!named && subject.wanted !== subject.entity_id) throw notFound()
      return revisionList(await showRecord(actor, subject), { actor, page, request, calendar: query.calendar })
    },
  }),

  'GET /data/entities/{entity_id}/labels/': readRoute({
    permission: 'history.read',
    summary: 'Read the labels of a record',
    description: 'Answers that show the record have them, too, if there are any.',
    answer: ok(LabelsView),
    params: ByEntity,
    subject: loadHead,
    translatedPaths: [],
    handle: async ({ subject }) => ({ labels: labelsView(subject.labels) }),
  }),

  'PUT /data/entities/{entity_id}/labels/': changeRoute({
    permission: 'label.change',
    summary: 'Say how a record may be used: its labels',
    description: ABOUT_LABELS,
    answer: ok(LabelsView),
    params: ByEntity,
    subject: loadHead,
    translatedPaths: [],
    body: LabelsBody,
    handle: async ({ unit, subject, actor, body }) => ({
      labels: labelsView((await labelRecord(unit, subject, body.labels, actor)).labels),
    }),
  }),

  'GET /data/entities/{entity_id}/diff/': readRoute({
    permission: 'history.read',
    summary: 'Compare two revisions',
    answer: ok(DifferenceView),
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: DiffQuery,
    translatedPaths: ['field_diffs.*.label'],
    handle: async ({ subject, actor, query }) => {
      const it = await showRecord(actor, subject)
      const visible = visibleRevisions(it, actor)
      const [from, to] = [query.from, query.to].map((number) =>
        visible.find(({ revision_number }) => revision_number === number),
      )
      if (!from || !to) throw notFound()
      return diffView(it, from, to, actor, await peopleOf([from.created_by, to.created_by]))
    },
  }),

  'GET /data/entities/{entity_id}/explain/': readRoute({
    permission: 'history.read',
    summary: 'Tell why values are what they are: their provenance',
    answerHeaders: ['Link', 'Memento-Datetime'],
    description:
      'For each property: the value that stands, the claim it rests on, the rule and the decision that made it so, and its rivals. `doubts` tells how probable it is that reviewers keep a claim, and what speaks for it: to reviewers of all claims that stand or wait, to others of those that stand, by what everyone may read.',
    answer: ok(ExplanationView),
    errors: [],
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: ExplainQuery,
    translatedPaths: ['properties.*.label', 'properties.*.why', 'doubts.*.evidence.*.about'],
    handle: async ({ subject, actor, query, request }) => {
      const found = query.at === undefined ? subject : pastRecord(subject, query.at, actor)
      if (!found) throw notFound()
      const it = await showRecord(actor, found)
      const dating = await loadDateDisplay([it], dateStyleOf(request, query.calendar), actor)
      const property = query.property && propertyOf(it, query.property, actor)
      const [people, doubts] = await Promise.all([
        peopleOf([...it.decisions.map((each) => each.reviewer_id), ...settlersOf(it)]),
        query.at === undefined ? estimateDoubts(subject, actor) : undefined,
      ])
      return {
        entity_id: it.entity_id,
        entity_name: it.name,
        kind: it.kind,
        cidoc_id: kinds[it.kind].record ? it.id : null,
        properties: explainProperties(it, actor, people, property).map((each) =>
          dating.addDate(each, { of: it, member: each.property, words: each.value }),
        ),
        ...(doubts && { doubts: doubts.filter((each) => property === undefined || each.property === property) }),
      }
    },
  }),

  'GET /data/entities/{entity_id}/history/': readRoute({
    permission: 'history.read',
    summary: 'Tell what has changed of a record',
    description: ABOUT_HISTORY,
    answer: listOf(StoryEntryView),
    translatedPaths: ['results.*.changes.*.label'],
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: CalendarQuery,
    handle: ({ subject, actor, query, page, request }) =>
      storyPage(subject, actor, page, request, dateStyleOf(request, query.calendar)),
  }),
  ...activities,
} satisfies Routes)

export const handler = endpoint(routes)

/** The estimates of the claims of a record. Their code is loaded with the first call. */
const estimateDoubts = async (it: History, actor: Actor | null) =>
  (await import('../lib/domain/doubt/estimate.ts')).estimateClaims(it, actor)

type Asked = { actor: Actor | null; page: PageRequest; request: Request; calendar: CalendarKey | undefined }

async function revisionList(it: Visible<History> | undefined, { actor, page, request, calendar }: Asked) {
  const showing = dateStyleOf(request, calendar)
  const visible = it ? visibleRevisions(it, actor) : []
  const rows = sliceOf(visible, page)
  const people = await peopleOf(rows.map((each) => each.created_by))
  const values = (of: Visible<History>, { data }: Revision) => ({ kind: of.kind, data })
  const dating = await loadDateDisplay(it ? rows.map((each) => values(it, each)) : [], showing, actor)
  const results = it ? rows.map((each) => dating.addDates(revisionRow(it, each, actor, people), values(it, each))) : []
  return listBody(request, page, { count: visible.length, results })
}

/** Finds a property by its name or an alias. Fails if neither the kind has it, nor a claim that the caller may read. */
function propertyOf(it: Visible<History>, name: string, actor: Actor | null): string {
  const { fields } = kinds[it.kind]
  const own = Object.entries(fields).find(([field, { aliases }]) => field === name || aliases.includes(name))
  if (own) return own[0]
  if (it.assertions.filter(mayRead(it, actor)).some((one) => one.asserted_property === name)) return name
  throw invalid({ property: ['This record has no such property.'] })
}
