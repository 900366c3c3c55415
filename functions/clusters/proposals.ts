import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../../lib/base/errors.ts'
import type { Schema } from '../../lib/base/shapes.ts'
import { type Proposal, type ProposalSort, proposalStatuses } from '../../lib/domain/proposals/items.ts'
import {
  EntityProposalView,
  ProposalConflictView,
  ProposalStepView,
  RelationshipProposalView,
} from '../../lib/domain/proposals/view-shape.ts'
import { creation, ok } from '../../lib/platform/http/answer.ts'
import { members, prose } from '../../lib/platform/http/body.ts'
import { ById, queryWord } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Route, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { seesAllProposals } from '../../lib/platform/permissions.ts'
import { type PeopleById, peopleOf } from '../../lib/platform/users/people.ts'
import {
  ChangedEntity,
  ChangedRelationship,
  changeEntity,
  changeRelationship,
  NewEntity,
  NewRelationship,
  newEntity,
  newRelationship,
} from './proposal-bodies.ts'

/** Loaded with the first question about proposals. Questions about clusters are much more frequent and do not need this code. */
const proposals = () => import('../../lib/domain/proposals/proposals.ts')
const views = () => import('../../lib/domain/proposals/view.ts')

const Comment = members({ comment: prose(5000) })
const rate = { limit: 200, seconds: 86_400 } as const
const ABOUT_LISTS =
  'The newest hundred. Domain experts, curators and staff get those of all, with the hundred that have waited longest.'
const ABOUT_CHECKS =
  'What it names must exist for its author. The same is not proposed while it waits, nor ever after a refusal: 409.'
const ABOUT_APPROVAL = 'Everything is checked again, and what the proposal says is made in the same transaction.'

type Rows<Row> = (all: readonly Proposal[], people: PeopleById) => Promise<Row[]>

/** The routes that both sorts of proposals have. Each answers with a row of this shape. */
function lifeOf<Row>(sort: ProposalSort, shape: Schema, rows: Rows<Row>) {
  const subject = async ({ id }: { id: string }) => (await proposals()).loadProposal(id, sort)
  const show = async (all: readonly Proposal[]) =>
    rows(all, await peopleOf([...new Set(all.map(({ author_id }) => author_id))]))
  const showOne = async (it: Proposal): Promise<Row> => {
    const [row] = await show([it])
    if (row === undefined) throw new Error('a proposal has no row')
    return row
  }
  const answer = { 200: { shape }, 409: { shape: ProposalConflictView } }
  const step = { params: ById, subject, answer, idempotent: '24h' } as const
  return {
    subject,
    showOne,
    list: (summary: string): Route<object> =>
      actorRoute({
        permission: 'proposal.own',
        summary,
        description: ABOUT_LISTS,
        answer: ok(v.array(shape)),
        query: v.object({ status: queryWord(proposalStatuses) }),
        handle: async ({ actor, query: { status } }) => {
          const user = seesAllProposals(actor) ? undefined : actor.id
          return show(await (await proposals()).listProposals(sort, { user, status }))
        },
      }),
    read: (summary: string) =>
      readRoute({
        permission: 'proposal.read',
        summary,
        answer: ok(shape),
        params: ById,
        subject,
        handle: async ({ subject: { about } }) => showOne(about),
      }),
    submit: (summary: string) =>
      changeRoute({
        ...step,
        permission: 'proposal.change',
        summary,
        description: ABOUT_CHECKS,
        handle: async ({ unit, subject, actor }) =>
          showOne(await (await proposals()).submitProposal(unit, subject, actor)),
      }),
    withdraw: (summary: string) =>
      changeRoute({
        ...step,
        permission: 'proposal.change',
        summary,
        handle: async ({ unit, subject, actor }) =>
          showOne(await (await proposals()).withdrawProposal(unit, subject, actor)),
      }),
    approve: (summary: string) =>
      changeRoute({
        ...step,
        permission: 'proposal.decide',
        summary,
        description: ABOUT_APPROVAL,
        body: Comment,
        handle: async ({ unit, subject, actor, body: { comment } }) =>
          showOne(await (await proposals()).approveProposal(unit, subject, actor, comment)),
      }),
    reject: (summary: string) =>
      changeRoute({
        ...step,
        permission: 'proposal.decide',
        summary,
        body: Comment,
        handle: async ({ unit, subject, actor, body: { comment } }) => {
          if (comment.trim() === '') throw invalid({ comment: ['Say why, so that the author can act on it.'] })
          return showOne(await (await proposals()).rejectProposal(unit, subject, actor, comment))
        },
      }),
    audit: (summary: string) =>
      readRoute({
        permission: 'proposal.read',
        summary,
        answer: ok(v.array(ProposalStepView)),
        params: ById,
        subject,
        handle: async ({ subject: { about } }) => {
          const steps = await (await proposals()).listSteps(about.id)
          const people = await peopleOf([...new Set(steps.map(({ actor_id }) => actor_id))])
          const { stepView } = await views()
          return steps.map((it) => stepView(it, people))
        },
      }),
  }
}

const entity = lifeOf('entity', EntityProposalView, async (all, people) => (await views()).entityRows(all, people))
const relationship = lifeOf('relationship', RelationshipProposalView, async (all, people) =>
  (await views()).relationshipRows(all, people),
)

/** Proposals that records are one thing, or that two have a relationship. */
export const proposalRoutes = {
  'GET /data/entity-proposals/': entity.list('List proposals that records are one thing'),
  'POST /data/entity-proposals/': actorRoute({
    permission: 'proposal.own',
    summary: 'Draft a proposal that records are one thing',
    description:
      'Its anchors become members of one cluster: a new one, or with `link_existing` one that exists. Without anchors a record of this name is made, too.',
    answer: creation(EntityProposalView),
    body: NewEntity,
    idempotent: '24h',
    throttles: [{ scope: 'entity_proposals', rate, per: 'caller', counts: 'every success' }],
    handle: async ({ unit, actor, body }) =>
      replyCreated(await entity.showOne((await proposals()).createProposal(unit, actor, newEntity(body)))),
  }),
  'GET /data/entity-proposals/{id}/': entity.read('Read a proposal that records are one thing'),
  'PATCH /data/entity-proposals/{id}/': changeRoute({
    permission: 'proposal.change',
    summary: 'Change a draft that records are one thing',
    answer: ok(EntityProposalView),
    errors: [409],
    params: ById,
    subject: entity.subject,
    body: ChangedEntity,
    handle: async ({ unit, subject, body }) =>
      entity.showOne((await proposals()).amendProposal(unit, subject, changeEntity(subject.about.content, body))),
  }),
  'POST /data/entity-proposals/{id}/submit/': entity.submit('Submit a draft that records are one thing'),
  'POST /data/entity-proposals/{id}/withdraw/': entity.withdraw('Withdraw a proposal that records are one thing'),
  'POST /data/entity-proposals/{id}/approve/': entity.approve('Make one thing of the records of a proposal'),
  'POST /data/entity-proposals/{id}/reject/': entity.reject('Refuse that records are one thing'),
  'GET /data/entity-proposals/{id}/audit/': entity.audit('List the steps of a proposal of one thing, the oldest first'),

  'GET /data/relationship-proposals/': relationship.list('List proposals of relationships'),
  'POST /data/relationship-proposals/': actorRoute({
    permission: 'proposal.own',
    summary: 'Draft a proposal that two records have a relationship',
    description: '`predicate` is an id of `/cidoc/relationship-predicates/`. A draft may leave anything open.',
    answer: creation(RelationshipProposalView),
    body: NewRelationship,
    idempotent: '24h',
    throttles: [{ scope: 'relationship_proposals', rate, per: 'caller', counts: 'every success' }],
    handle: async ({ unit, actor, body }) =>
      replyCreated(await relationship.showOne((await proposals()).createProposal(unit, actor, newRelationship(body)))),
  }),
  'GET /data/relationship-proposals/{id}/': relationship.read('Read a proposal of a relationship'),
  'PATCH /data/relationship-proposals/{id}/': changeRoute({
    permission: 'proposal.change',
    summary: 'Change a draft of a relationship',
    answer: ok(RelationshipProposalView),
    errors: [409],
    params: ById,
    subject: relationship.subject,
    body: ChangedRelationship,
    handle: async ({ unit, subject, body }) =>
      relationship.showOne(
        (await proposals()).amendProposal(unit, subject, changeRelationship(subject.about.content, body)),
      ),
  }),
  'POST /data/relationship-proposals/{id}/submit/': relationship.submit('Submit a draft of a relationship'),
  'POST /data/relationship-proposals/{id}/withdraw/': relationship.withdraw('Withdraw a proposal of a relationship'),
  'POST /data/relationship-proposals/{id}/approve/': relationship.approve('Make the claim of a proposed relationship'),
  'POST /data/relationship-proposals/{id}/reject/': relationship.reject('Refuse a relationship'),
  'GET /data/relationship-proposals/{id}/audit/': relationship.audit(
    'List the steps of a proposal of a relationship, the oldest first',
  ),
} satisfies Routes
