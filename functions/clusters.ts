import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { replyCreated } from '../lib/platform/http/reply.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import { ExternalSuggestionsView } from '../lib/domain/alerts/view-shape.ts'
import { auditView, ClusterAuditView, loadAudit, recordsInAudit } from '../lib/domain/clusters/audit.ts'
import * as clusters from '../lib/domain/clusters/clusters.ts'
import type { Cluster } from '../lib/domain/clusters/items.ts'
import { loadMemberships } from '../lib/domain/clusters/memberships.ts'
import { mergeClusters, splitCluster } from '../lib/domain/clusters/merge.ts'
import { ClusterRivalsView, findRivals } from '../lib/domain/clusters/rivals.ts'
import { findClusters } from '../lib/domain/clusters/search.ts'
import {
  ClusterMembersView,
  ClusterView,
  clusteredKinds,
  clusterScopes,
  clusterView,
  memberView,
  SplitView,
  SuggestionsView,
  suggestionsView,
  typeScopeOf,
} from '../lib/domain/clusters/view.ts'
import {
  type Contribution,
  kindOfScope,
  kinds,
  type Mode,
  schemaOf,
  unknownKindMessage,
} from '../lib/domain/kinds/index.ts'
import { textOf } from '../lib/domain/names/text.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { cut } from '../lib/engines/matching/index.ts'
import { needsSearch, whereEntries } from '../lib/engines/search/index.ts'
import { creation, listOf, ok } from '../lib/platform/http/answer.ts'

import { chooseFrom, line, lines, members, objectOf, prose, REQUIRED, uuidOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import {
  BooleanFlag,
  ById,
  OptionalBoolean,
  QueryText,
  queryWord,
  RecordOrdering,
  requiredId,
} from '../lib/platform/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { documentAs } from '../lib/platform/http/schema-notes.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { withCurrentUsernames } from '../lib/platform/users/people.ts'
import { graph } from './clusters/graph.ts'
import { identity } from './clusters/identity.ts'
import { proposalRoutes } from './clusters/proposals.ts'

const ABOUT_LOCKS = 'Another version than `expected_version` is 409, and so is a cluster that is in this state already.'

const MEMBERS = 'Give a list of {entity_type, entity_id}.'
const GROUPS = 'Give lists of ids of records.'
const TOO_MANY = clusters.TOO_MANY_MEMBERS

const version = v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'))
const ClusterQuery = v.object({
  search: QueryText,
  type_scope: queryWord(clusterScopes),
  locked: OptionalBoolean,
  ordering: RecordOrdering,
})

const subject = ({ id }: { id: string }) => clusters.loadCluster(id)

const lock = (locked: boolean) =>
  changeRoute({
    permission: 'cluster.change',
    summary: locked ? 'Lock a cluster' : 'Unlock a cluster',
    description: ABOUT_LOCKS,
    answer: ok(ClusterView),
    errors: [409],
    params: ById,
    subject,
    body: members({ reason: prose(5000), expected_version: absentable(version) }),
    handle: async ({ unit, subject, actor, body }) => {
      const made = await clusters.setClusterLock(unit, subject, locked, body, actor)
      return clusterView(made)
    },
  })

/** Entity clusters, and the search for duplicates of a new record. Clusters are never deleted: their history would be lost. */
export const routes = withTables({
  'GET /cidoc/entity-clusters/': publicRoute({
    permission: 'cluster.list',
    summary: 'List the clusters',
    answer: listOf(ClusterView),
    query: ClusterQuery,
    handle: async ({ query: { search, type_scope, locked, ordering }, page, request }) => {
      const kind = type_scope ? kindOfScope(type_scope) : undefined
      const filter = { kind: kind?.key, locked, search, ...ordering }
      const listed =
        type_scope && !kind
          ? { count: 0, results: [] }
          : needsSearch(filter)
            ? await findClusters(filter, page)
            : await clusters.listClusters(filter, page)
      return listBody(request, page, { ...listed, results: (await withUsernames(listed.results)).map(clusterView) })
    },
  }),

  'POST /cidoc/entity-clusters/': actorRoute({
    permission: 'cluster.create',
    summary: 'Make a cluster',
    answer: creation(ClusterView),
    body: bodyFor('create'),
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const kind = clusteredKinds.find((it) => it === kindOfScope(textOf(body.data.type_scope)))
      if (!kind) throw invalid({ type_scope: [chooseFrom(clusterScopes)] })
      const made = await clusters.createCluster(unit, kind, changesOf(body), body.members ?? [], actor)
      return replyCreated(await viewCluster(made))
    },
  }),

  'GET /cidoc/entity-clusters/suggest-duplicates/': actorRoute({
    permission: 'duplicates.suggest',
    summary: 'Find what may be there already under a name',
    description:
      'What a new record of this name would be flagged as a duplicate of, and what is only named alike. Give `near`, the point of the new record, as well: records beside it count by the same rule as at creation, and namesakes far away do not.',
    answer: ok(SuggestionsView),
    query: v.object({
      q: v.pipe(v.optional(v.string(), ''), v.trim(), v.minLength(2, 'Give at least 2 characters.')),
      registry_key: scopeMember(),
      type_scope: scopeMember(),
      include_members: BooleanFlag,
      near: whereEntries.near,
    }),
    handle: async ({ actor, query: { q, registry_key, type_scope, include_members, near } }) => {
      const { findDuplicates } = await import('../lib/domain/clusters/duplicates.ts')
      const text = cut(q, LONGEST)
      const kind = registry_key ?? type_scope
      const among = kind ? clusteredKinds.filter((it) => it === kind) : clusteredKinds
      return suggestionsView(await findDuplicates(text, among, actor, near), include_members)
    },
  }),

  'GET /cidoc/entity-clusters/{id}/': readRoute({
    permission: 'cluster.read',
    summary: 'Read a cluster',
    answer: ok(ClusterView),
    params: ById,
    subject,
    handle: async ({ subject }) => viewCluster(subject),
  }),

  'GET /cidoc/entity-clusters/{id}/members/': readRoute({
    permission: 'cluster.read',
    summary: 'List the members of a cluster',
    answer: ok(ClusterMembersView),
    params: ById,
    subject,
    handle: async ({ subject, actor }) => ({
      cluster_id: subject.id,
      members: await membersOf(subject, actor),
    }),
  }),

  'PUT /cidoc/entity-clusters/{id}/': changeRoute({
    permission: 'cluster.change',
    summary: 'Replace a cluster',
    answer: ok(ClusterView),
    params: ById,
    subject,
    body: bodyFor('create'),
    handle: async ({ unit, subject, actor, body }) => {
      const made = await amend(unit, subject, body, emptied, actor)
      return viewCluster(made)
    },
  }),

  'PATCH /cidoc/entity-clusters/{id}/': changeRoute({
    permission: 'cluster.change',
    summary: 'Change a cluster',
    description: '`expected_version` refuses the change when others were faster.',
    answer: ok(ClusterView),
    params: ById,
    subject,
    body: bodyFor('change'),
    handle: async ({ unit, subject, actor, body }) => {
      const made = await amend(unit, subject, body, {}, actor)
      return viewCluster(made)
    },
  }),

  ...identity,
  ...graph,
  ...proposalRoutes,

  'POST /cidoc/entity-clusters/{id}/lock/': lock(true),
  'POST /cidoc/entity-clusters/{id}/unlock/': lock(false),

  'POST /cidoc/entity-clusters/{id}/merge/': changeRoute({
    permission: 'cluster.change',
    summary: 'Merge another cluster into this one',
    description:
      'Its members move here, each with a new claim of identity. It stays under its id, and `merged_into` says where it went. A split takes the merge back.',
    answer: ok(ClusterView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: members({
      source_cluster_id: uuidOf(REQUIRED),
      reason: v.pipe(lines(5000), v.trim(), v.nonEmpty(REQUIRED)),
      expected_version: version,
      lock_override: v.nullish(v.boolean('Give true or false.'), false),
    }),
    handle: async ({ unit, subject, actor, body }) => {
      const made = await mergeClusters(unit, subject, { ...body, lock_override: body.lock_override === true }, actor)
      return viewCluster(made)
    },
  }),

  'POST /cidoc/entity-clusters/{id}/split/': changeRoute({
    permission: 'cluster.change',
    summary: 'Split a cluster',
    description:
      '`groups` names each member once, by its number or its review identity. A group that a merge brought in gets its old cluster back; one group stays; the others get new clusters. `cluster_ids` is in the order of the groups.',
    answer: ok(SplitView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: members({
      reason: v.pipe(lines(5000), v.trim(), v.nonEmpty(REQUIRED)),
      expected_version: version,
      groups: v.pipe(v.array(v.array(memberId(), GROUPS), GROUPS), v.maxLength(clusters.MAX_MEMBERS, TOO_MANY)),
    }),
    handle: async ({ unit, subject, actor, body }) => {
      const kind = kinds[subject.kind]
      const groups = body.groups.map((group) => group.map((id): clusters.MemberInput => ({ kind, id })))
      const { clusters: made, kept, audit_event_id } = await splitCluster(unit, subject, { ...body, groups }, actor)
      const cluster_ids = made.map(({ id }) => id)
      return { new_cluster_ids: cluster_ids.filter((id) => id !== kept), cluster_ids, audit_event_id }
    },
  }),

  'GET /cidoc/entity-clusters/{id}/conflict-check/': readRoute({
    permission: 'cluster.inspect',
    summary: 'Check what the records of two clusters say against each other',
    answer: ok(ClusterRivalsView),
    params: ById,
    subject,
    query: v.object({ source_cluster_id: requiredId('There is no cluster with this id.') }),
    handle: async ({ subject, query, actor }) => {
      const source = await clusters.loadCluster(query.source_cluster_id)
      if (!source) throw invalid({ source_cluster_id: ['There is no cluster with this id.'] })
      return findRivals(subject, source, actor)
    },
  }),

  'GET /cidoc/entity-clusters/{id}/suggest-external/': readRoute({
    permission: 'cluster.suggest',
    summary: 'Suggest what a cluster is called in other collections',
    description:
      'By links of its members and of records that look alike, best first; what `external_identifiers` holds is left out. Nobody outside is asked.',
    answer: ok(ExternalSuggestionsView),
    translatedPaths: ['suggestions.*.description'],
    params: ById,
    subject,
    handle: async ({ subject, actor }) => {
      const { suggestTargets } = await import('../lib/domain/alerts/suggest.ts')
      return suggestTargets(subject, actor)
    },
  }),

  'GET /cidoc/entity-clusters/{id}/audit/': readRoute({
    permission: 'cluster.inspect',
    summary: 'List what was done to a cluster',
    description: 'Merges, splits and locks, newest first, 200 at most.',
    answer: ok(ClusterAuditView),
    params: ById,
    subject,
    handle: async ({ subject, actor }) => {
      const events = await loadAudit(subject.id)
      return auditView(events, await clusters.loadRecords(recordsInAudit(events)), actor)
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

async function membersOf(it: Cluster, actor: Actor | null) {
  const members = await clusters.loadMembers(it, actor)
  const memberships = await loadMemberships(members.map(({ entity_id }) => entity_id))
  return members.map((record) => memberView(record, memberships.get(record.entity_id)?.claim?.id ?? null))
}

const withUsernames = (rows: readonly Cluster[]) => withCurrentUsernames('contributor', rows)
const viewCluster = async (it: Cluster) => clusterView((await withUsernames([it]))[0] ?? it)

/** The most characters of a name for which duplicates are looked up. A longer name is cut. */
const LONGEST = 200

type Body = Contribution & {
  members?: clusters.MemberInput[] | undefined
  external_identifiers?: Record<string, string> | undefined
  expected_version?: number | undefined
}

async function amend(unit: UnitOfWork, old: Cluster, body: Body, base: clusters.ClusterInput, actor: Actor) {
  const { expected_version } = body
  if (expected_version !== undefined && expected_version !== old.version)
    throw invalid({ expected_version: [`The cluster has changed since: it is at version ${old.version}.`] })
  const scope = body.data.type_scope
  if (scope !== undefined && kindOfScope(textOf(scope))?.key !== old.kind)
    throw invalid({ type_scope: ['What a cluster gathers cannot be changed.'] })
  return clusters.amendCluster(unit, old, { ...base, ...changesOf(body) }, body.members, actor)
}

/** The values that properties get if a PUT of a cluster leaves them out. The members of the cluster stay, since they are not a property. */
const emptied: clusters.ClusterInput = { locked: false, note: '', curated_aliases: [], external_identifiers: {} }

function changesOf({ data, cleared, external_identifiers }: Body): clusters.ClusterInput {
  const { canonical_label, locked, note, curated_aliases } = data
  const says = (name: string) => name in data || cleared.includes(name)
  return {
    ...(says('canonical_label') && { canonical_label: textOf(canonical_label).trim() }),
    ...(says('locked') && { locked: locked === true }),
    ...(says('note') && { note: textOf(note) }),
    ...(says('curated_aliases') && {
      curated_aliases: Array.isArray(curated_aliases) ? curated_aliases.map(textOf) : [],
    }),
    ...(external_identifiers && { external_identifiers }),
  }
}

/** The body of a cluster: its declared fields, and the other members on the wire. */
function bodyFor(mode: Mode) {
  return v.intersect([
    schemaOf(kinds.entity_cluster, mode),
    v.object({
      members: absentable(v.pipe(v.array(memberReference(), MEMBERS), v.maxLength(clusters.MAX_MEMBERS, TOO_MANY))),
      external_identifiers: absentable(
        v.pipe(
          objectOf(line(100), line(500), 'Give an object of identifiers.'),
          v.check((it) => Object.keys(it).length <= 50, 'Give no more than 50 of them.'),
        ),
      ),
      expected_version: absentable(version),
    }),
  ])
}

/** The id of a member: its number in its kind, or its review identity. */
function memberId() {
  const number = v.pipe(v.number(MEMBERS), v.integer(MEMBERS), v.minValue(1, MEMBERS), v.maxValue(1e12 - 1, MEMBERS))
  const digits = v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, MEMBERS), v.transform(Number))
  const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid(MEMBERS))
  return v.union([number, digits, uuid], MEMBERS)
}

/** A reference to a member of a cluster. `entity_type` is a registry key or a type scope. */
function memberReference() {
  return v.pipe(
    v.object({ entity_type: v.string(MEMBERS), entity_id: memberId() }, MEMBERS),
    v.forward(
      v.partialCheck(
        [['entity_type']],
        ({ entity_type }) => kindOfScope(entity_type) !== undefined,
        ({ input }) => unknownKindMessage(input.entity_type),
      ),
      ['entity_type'],
    ),
    v.transform(
      ({ entity_type, entity_id }): clusters.MemberInput => ({
        kind: kindOfScope(entity_type) ?? kinds.entity,
        id: entity_id,
      }),
    ),
  )
}

/** A member that may be missing or null. Both give undefined. */
function absentable<S extends v.GenericSchema>(schema: S) {
  return v.pipe(
    v.nullish(schema),
    v.transform((it) => it ?? undefined),
  )
}

function scopeMember() {
  return v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => (it === '' ? null : (kindOfScope(it) ?? undefined))),
    v.check((it): boolean => it !== undefined, chooseFrom(clusterScopes)),
    v.transform((it) => it ?? null),
    documentAs({ type: 'string', enum: [...new Set(clusteredKinds.flatMap((it) => [it.key, typeScopeOf(it)]))] }),
  )
}
