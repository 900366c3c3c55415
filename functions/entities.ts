import '../lib/domain/composition.ts'
import * as v from 'valibot'
import * as s from '../lib/base/shapes.ts'
import { type Contribution, kinds, type Mode, schemaOf } from '../lib/domain/kinds/index.ts'
import { textOf } from '../lib/domain/names/text.ts'
import { type History, loadHistory } from '../lib/domain/records/history.ts'
import type { RecordItem } from '../lib/domain/records/items.ts'
import * as lists from '../lib/domain/records/lists.ts'
import { CalendarQuery, RecordQuery } from '../lib/domain/records/queries.ts'
import { kindOfRecord } from '../lib/domain/records/review-state.ts'
import { isPublished } from '../lib/domain/records/rules/status.ts'
import { FacetsView, type FoundRecords, searchRecords } from '../lib/domain/records/search.ts'
import {
  keysToShow,
  loadNamed,
  showLoaded,
  showRecord,
  showRecords,
  type Visible,
} from '../lib/domain/records/shown.ts'
import { loadDateDisplay } from '../lib/domain/records/views/dates.ts'
import {
  ContributionDetailView,
  ContributionView,
  contributionRow,
  entityDetail,
  entityRow,
  OwnContributionView,
  RevisionView,
  revisionView,
} from '../lib/domain/records/views/entity.ts'
import * as records from '../lib/domain/records/write.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { featureOf, featuresOf } from '../lib/doors/linked/geojson.ts'
import { featureShape, featuresShape, LinkedDataView, LinkedListView } from '../lib/doors/linked/shapes.ts'
import { needsSearch } from '../lib/engines/search/index.ts'
import { itemAt, type Stored } from '../lib/engines/table/index.ts'
import {
  ABOUT_LINKED_OR_MAPPED,
  creation,
  empty,
  listOf,
  MessageView,
  ok,
  withTypes,
} from '../lib/platform/http/answer.ts'

import { objectOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { GEO_JSON, HTML, JSON_LD } from '../lib/platform/http/media.ts'
import { listAddress, listBody } from '../lib/platform/http/page.ts'
import { ByEntity } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent, replySeeOther } from '../lib/platform/http/reply.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  type Routes,
  readRoute,
} from '../lib/platform/http/route.ts'
import { declareMembers, membersOf } from '../lib/platform/http/schema-notes.ts'
import { dateStyleOf } from '../lib/platform/http/shown-dates.ts'
import { type Actor, worksOn } from '../lib/platform/permissions.ts'
import { key } from '../lib/platform/table/keys.ts'
import { type PeopleById, peopleIn, peopleOf } from '../lib/platform/users/people.ts'
import * as users from '../lib/platform/users/users.ts'
import { forks } from './entities/forks.ts'

const ABOUT_WRAPPING = "The members are those of the record's kind, at the top or wrapped in `form_data` or `data`."
/** The values of the record's kind, at the top or wrapped. */
const ValuesOfKind = v.looseObject({ form_data: v.nullish(s.Values), data: v.nullish(s.Values) })

const subject = ({ entity_id }: { entity_id: string }) => loadHistory(entity_id)

/** Loads one page of contributions, with the people that it names. Each media type of the list shows it. */
async function listContributions({ query, actor, scope, page, request }: ListCall<typeof DatedQuery>) {
  const { calendar: _, ordering, ...wanted } = query
  const filter = { ...wanted, ...ordering }
  if (!needsSearch(filter)) {
    const found = await lists.listRecords(filter, scope, page, keysToShow)
    const results = showLoaded(actor, found.results, found.found)
    return { ...listBody(request, page, { ...found, results }), people: peopleIn(found.found) }
  }
  const found = await searchRecords(filter, actor, scope, page, (hits) =>
    hits.map((it) => users.keyOf(it.contributor_id ?? '')),
  )
  const results = await showRecords(actor, found.results)
  const body = { ...listBody(request, page, { ...found, results }), people: peopleIn(found.found) }
  return 'facets' in found ? { ...body, facets: found.facets } : body
}

/** The query of a list, with the calendar for its dates. An identifier is looked up in one kind, so it is for the lists of kinds. */
const DatedQuery = v.object({ ...v.omit(RecordQuery, ['identifier']).entries, ...CalendarQuery.entries })
const OwnQuery = v.omit(DatedQuery, ['mine', 'all', 'contributor'])

/** Loaded with the first request for linked data. */
const importLinked = () => import('../lib/doors/linked/record.ts')

/** Contributions of every kind by their review identity. Records of the kind `entity` have no other id. */
export const routes = withTables({
  'GET /data/cultural-entities/': listRoute({
    permission: 'record.list',
    summary: 'List the contributions of every kind',
    description: `With \`search\`, the best fit comes first. ${ABOUT_LINKED_OR_MAPPED}`,
    answer: withTypes(listOf(ContributionView, { facets: v.optional(FacetsView) }), {
      [JSON_LD]: LinkedListView,
      [GEO_JSON]: featuresShape(s.uuid, ContributionView),
    }),
    query: DatedQuery,
    handle: async (asked) => {
      const { results, people, ...page } = await listContributions(asked)
      const { request, query, actor } = asked
      const dating = await loadDateDisplay(results, dateStyleOf(request, query.calendar), actor)
      return { ...page, results: results.map((it) => dating.addDates(listRow(it, asked, people), it)) }
    },
    representations: {
      [JSON_LD]: async (asked) => {
        const { actor, request } = asked
        const id = `${request.origin}/data/cultural-entities/${listAddress(request).search}`
        const { labelPlural: label } = kinds.entity
        const [{ linkedList }, { linkedRow }] = await Promise.all([
          import('../lib/doors/linked/list.ts'),
          importLinked(),
        ])
        return linkedList(await listContributions(asked), { id, label }, (it) => linkedRow(it, actor, request.origin))
      },
      [GEO_JSON]: async (asked) => {
        const { people, ...page } = await listContributions(asked)
        return featuresOf(page, (it) => featureOf(it, asked.actor, it.entity_id, listRow(it, asked, people)))
      },
    },
  }),

  'POST /data/cultural-entities/': actorRoute({
    permission: 'record.create',
    summary: 'Contribute a cultural entity',
    description: ABOUT_WRAPPING,
    answer: creation(ContributionDetailView),
    shownBody: ValuesOfKind,
    body: formOf(schemaOf(kinds.entity, 'create')),
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const made = await records.createRecord(unit, kinds.entity, actor, body)
      return replyCreated(await showDetail({ ...made, decisions: [], flags: [], lease: null }, actor))
    },
  }),

  'GET /data/cultural-entities/my_contributions/': actorRoute({
    permission: 'contribution.list',
    summary: 'List the own contributions',
    answer: listOf(OwnContributionView, { facets: v.optional(FacetsView) }),
    query: OwnQuery,
    handle: async ({ query, actor, page, request }) => {
      const scope = { signedIn: true, everything: false, own: actor.id }
      const { calendar, ordering, ...wanted } = query
      const filter = { ...wanted, ...ordering, mine: true }
      const sought = needsSearch(filter)
      const listed: FoundRecords = sought
        ? await searchRecords(filter, actor, scope, page)
        : await lists.listRecords(filter, scope, page, userKeysOf)
      const people = sought ? await peopleOf(listed.results.flatMap(userIdsIn)) : peopleIn(listed.found)
      const results = await showRecords(actor, listed.results)
      const dating = await loadDateDisplay(results, dateStyleOf(request, calendar), actor)
      const body = listBody(request, page, {
        ...listed,
        results: results.map((it) => dating.addDates(contributionRow(it, actor, people), it)),
      })
      return listed.facets ? { ...body, facets: listed.facets } : body
    },
  }),

  'GET /data/cultural-entities/{entity_id}/': readRoute({
    permission: 'record.read',
    summary: 'Read a contribution with its history',
    description: `${ABOUT_LINKED_OR_MAPPED} Linked data is of the published values, under the address of the record.`,
    answer: {
      200: {
        shape: ContributionDetailView,
        also: { [JSON_LD]: LinkedDataView, [GEO_JSON]: featureShape(s.uuid, ContributionDetailView) },
        types: [HTML] as const,
      },
      303: null,
    },
    params: ByEntity,
    subject,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, request }) => {
      const of = seenBy(subject, actor)
      const dating = await loadDateDisplay([of], dateStyleOf(request, query.calendar), actor)
      return dating.addDates(await showDetail(subject, actor), of)
    },
    representations: {
      [JSON_LD]: async ({ subject, actor, request }) => {
        const { linkedRecord } = await importLinked()
        return linkedRecord(await showRecord(actor, subject), actor, request.origin)
      },
      [GEO_JSON]: async ({ subject, actor }) => {
        const it = await showRecord(actor, subject)
        return featureOf(it, actor, it.entity_id, await detail(it, actor))
      },
      // A browser is led to the page of the record.
      [HTML]: async ({ subject: { kind, id }, request }) => replySeeOther(`${request.origin}/resource/${kind}/${id}/`),
    },
  }),

  'PUT /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.update',
    summary: 'Replace the values of a contribution',
    description: ABOUT_WRAPPING,
    answer: ok(ContributionDetailView),
    shownBody: ValuesOfKind,
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'create'),
    handle: async ({ unit, subject, actor, body }) => {
      const next = await records.amendRecord(unit, subject, actor, body, { replace: true })
      return showDetail({ ...subject, ...next }, actor)
    },
  }),

  'PATCH /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.update',
    summary: 'Change values of a contribution',
    description: ABOUT_WRAPPING,
    answer: ok(ContributionDetailView),
    shownBody: ValuesOfKind,
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'change'),
    handle: async ({ unit, subject, actor, body }) => {
      const next = await records.amendRecord(unit, subject, actor, body)
      return showDetail({ ...subject, ...next }, actor)
    },
  }),

  'DELETE /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.delete',
    summary: 'Delete a contribution',
    answer: empty,
    params: ByEntity,
    subject,
    handle: async ({ unit, subject }) => {
      await records.deleteRecord(unit, subject)
      return replyNoContent()
    },
  }),

  'POST /data/cultural-entities/{entity_id}/restore/': changeRoute({
    permission: 'record.restore',
    summary: 'Restore a contribution',
    answer: ok(ContributionDetailView),
    params: ByEntity,
    subject,
    handle: async ({ unit, subject, actor }) => {
      const next = await records.restoreRecord(unit, subject)
      return showDetail({ ...subject, ...next }, actor)
    },
  }),

  'POST /data/cultural-entities/{entity_id}/create_revision/': changeRoute({
    permission: 'record.update',
    summary: 'Propose a revision',
    description: `Of what is published, changes are sent to its own address. ${ABOUT_WRAPPING}`,
    answer: creation(RevisionView),
    shownBody: ValuesOfKind,
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'change'),
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const next = await showRecord(actor, await records.amendRecord(unit, subject, actor, body, { trigger: 'revise' }))
      return replyCreated(revisionView(next, latestOf(next, actor), await peopleOf([actor.id])))
    },
  }),

  'POST /data/cultural-entities/{entity_id}/submit_for_review/': changeRoute({
    permission: 'record.update',
    summary: 'Send a draft into review',
    answer: ok(MessageView),
    example: () => ({ message: 'Submitted for review.' }),
    translatedPaths: ['message'],
    params: ByEntity,
    subject,
    handle: async ({ unit, subject, actor }) => {
      await records.submitDraft(unit, subject, actor)
      return { message: 'Submitted for review.' }
    },
  }),
  ...forks,
} satisfies Routes)

export const handler = endpoint(routes, async (request, status) =>
  (await import('../lib/doors/pages/failure-page.ts')).failurePage(request, status),
)

/** The keys of the users whom these rows name, so that one call reads records and users. */
const userKeysOf = (heads: readonly RecordItem[]) => heads.flatMap(userIdsIn).map(users.keyOf)
const userIdsIn = (it: RecordItem) => [it.contributor_id, ...it.recent_activities.flatMap((each) => each.user_id ?? [])]

/** Makes a row of the list. A published record shows its published values, unless the query asks for waiting ones. */
function listRow(it: Visible<RecordItem>, { query, actor }: ListCall<typeof DatedQuery>, people: PeopleById) {
  const { status, mine, all } = query
  const waiting = mine === true || all === true || (status !== undefined && !isPublished(status))
  return entityRow(it, actor, people, { waiting })
}

/** The values that this caller sees: the waiting ones if the caller works on the record. */
const seenBy = (it: History, actor: Actor | null) => ({
  kind: it.kind,
  data: worksOn(actor, it) ? (it.proposed ?? it.data) : it.data,
})

const showDetail = async (it: History, actor: Actor | null) => detail(await showRecord(actor, it), actor)

async function detail(it: Visible<History>, actor: Actor | null) {
  const ids = [
    it.contributor_id,
    ...it.revisions.map((each) => each.created_by),
    ...it.activities.map((each) => each.user_id),
  ]
  const versions = it.fork ? [it.fork.parent, it.fork.root].map(key.head) : []
  const [people, named] = await Promise.all([peopleOf(ids), loadNamed(versions)])
  return entityDetail(it, actor, people, (entity_id) => nameIn(named, entity_id))
}

const nameIn = (named: ReadonlyMap<string, Stored>, entity_id: string): string | null =>
  textOf(itemAt(named, key.head(entity_id))?.name) || null

/** The view of the revision that a change has made. */
const latestOf = (it: RecordItem, { id }: Actor) => ({
  revision_id: it.current_revision_id,
  entity_id: it.entity_id,
  revision_number: it.current_revision,
  data: it.proposed ?? it.data,
  created_by: id,
  created_at: it.updated_at,
  version: 1,
})

/** The schema of a contribution's body. The id names its kind. */
const bodyOf = (entity_id: string, mode: Mode) => formOf(schemaOf(kindOfRecord(entity_id), mode))

/** Accepts values at the top, or wrapped in `form_data` or `data` next to the members that every contribution has. */
function formOf(schema: v.GenericSchema<unknown, Contribution>): v.GenericSchema<unknown, Contribution> {
  const wrapped = v.optional(v.nullable(objectOf(v.string(), v.unknown(), 'Give an object.')))
  const own = membersOf(schema) ?? {}
  return v.pipe(
    v.looseObject({ form_data: wrapped, data: wrapped }),
    v.transform(({ form_data, data, ...members }): unknown => ({ ...data, ...form_data, ...members })),
    schema,
    declareMembers({ ...own, form_data: own, data: own }),
  )
}
