import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { replyCreated } from '../lib/platform/http/reply.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import * as clusters from '../lib/domain/clusters/clusters.ts'
import { findDuplicates } from '../lib/domain/clusters/duplicates.ts'
import { findClusters } from '../lib/domain/clusters/search.ts'
import {
  ClusterMembersView,
  ClusterView,
  clusterView,
  memberView,
  SuggestionsView,
  suggestionsView,
  typeScopeOf,
} from '../lib/domain/clusters/view.ts'
import {
  type Contribution,
  type Kind,
  kindOfScope,
  kinds,
  type Mode,
  schemaOf,
  unknownKindMessage,
} from '../lib/domain/kinds/index.ts'
import { textOf } from '../lib/domain/names/text.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { cut } from '../lib/engines/matching/index.ts'
import { needsSearch } from '../lib/engines/search/index.ts'
import { creation, listOf, ok } from '../lib/platform/http/answer.ts'

import { chooseFrom, line, members, objectOf, prose } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import {
  BooleanFlag,
  ById,
  OptionalBoolean,
  QueryText,
  queryWord,
  RecordOrdering,
} from '../lib/platform/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { documentAs } from '../lib/platform/http/schema-notes.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { withCurrentUsernames } from '../lib/platform/users/people.ts'

const ABOUT_LOCKS = 'Another version than `expected_version` is 409, and so is a cluster that is in this state already.'

/** Kinds whose records may be in a cluster: all that are reviewed. */
const clustered: readonly Kind[] = Object.values(kinds).filter((it) => it.record || it.key === 'entity')
const scopes = clustered.map(typeScopeOf)
const MEMBERS = 'Give a list of {entity_type, entity_id}.'
const TOO_MANY = `A cluster gathers at most ${clusters.MAX_MEMBERS} records.`

const version = v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'))
const ClusterQuery = v.object({
  search: QueryText,
  type_scope: queryWord(scopes),
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
      const kind = clustered.find((it) => it === kindOfScope(textOf(body.data.type_scope)))
      if (!kind) throw invalid({ type_scope: [chooseFrom(scopes)] })
      const made = await clusters.createCluster(unit, kind, changesOf(body), body.members ?? [], actor)
      return replyCreated(await viewCluster(made))
    },
  }),

  'GET /cidoc/entity-clusters/suggest-duplicates/': actorRoute({
    permission: 'duplicates.suggest',
    summary: 'Find what may be there already under a name',
    answer: ok(SuggestionsView),
    query: v.object({
      q: v.pipe(v.optional(v.string(), ''), v.trim(), v.minLength(2, 'Give at least 2 characters.')),
      registry_key: scopeMember(),
      type_scope: scopeMember(),
      include_members: BooleanFlag,
    }),
    handle: async ({ actor, query: { q, registry_key, type_scope, include_members } }) => {
      const text = cut(q, LONGEST)
      const kind = registry_key ?? type_scope
      const among = kind ? clustered.filter((it) => it === kind) : clustered
      return suggestionsView(text, await findDuplicates(text, among, actor), include_members)
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
      members: (await clusters.loadMembers(subject, actor)).map(memberView),
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

  'POST /cidoc/entity-clusters/{id}/lock/': lock(true),
  'POST /cidoc/entity-clusters/{id}/unlock/': lock(false),
} satisfies Routes)

export const handler = endpoint(routes)

const withUsernames = (rows: readonly clusters.Cluster[]) => withCurrentUsernames('contributor', rows)
const viewCluster = async (it: clusters.Cluster) => clusterView((await withUsernames([it]))[0] ?? it)

/** Characters of a text. A longer one matches no cluster. */
const LONGEST = 200

type Body = Contribution & {
  members?: clusters.MemberInput[] | undefined
  external_identifiers?: Record<string, string> | undefined
  expected_version?: number | undefined
}

async function amend(unit: UnitOfWork, old: clusters.Cluster, body: Body, base: clusters.ClusterInput, actor: Actor) {
  const { expected_version } = body
  if (expected_version !== undefined && expected_version !== old.version)
    throw invalid({ expected_version: [`The cluster has changed since: it is at version ${old.version}.`] })
  const scope = body.data.type_scope
  if (scope !== undefined && kindOfScope(textOf(scope))?.key !== old.kind)
    throw invalid({ type_scope: ['What a cluster gathers cannot be changed.'] })
  return clusters.amendCluster(unit, old, { ...base, ...changesOf(body) }, body.members, actor)
}

/** The values of properties that a PUT of a cluster leaves out. Its members stay, since they are not a property. */
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

/** A reference to a member of a cluster. `entity_type` is a registry key or a type scope. */
function memberReference() {
  const number = v.pipe(v.number(MEMBERS), v.integer(MEMBERS), v.minValue(1, MEMBERS), v.maxValue(1e12 - 1, MEMBERS))
  const digits = v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, MEMBERS), v.transform(Number))
  const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid(MEMBERS))
  return v.pipe(
    v.object({ entity_type: v.string(MEMBERS), entity_id: v.union([number, digits, uuid], MEMBERS) }, MEMBERS),
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

/** A member that may be missing or null, which give undefined. */
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
    v.check((it): boolean => it !== undefined, chooseFrom(scopes)),
    v.transform((it) => it ?? null),
    documentAs({ type: 'string', enum: [...new Set(clustered.flatMap((it) => [it.key, typeScopeOf(it)]))] }),
  )
}
