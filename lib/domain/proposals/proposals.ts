import { newId, now } from '../../base/clock.ts'
import { impossible, invalid } from '../../base/errors.ts'
import {
  get,
  parse,
  put,
  queryAll,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { loadUser } from '../../platform/users/users.ts'
import { checkMove, type ProposalMove, stateAfter } from '../extensions/life.ts'
import { claimNames, endClaims } from './claims.ts'
import { checkAnchorsFree, checkPairs, findEntity, makeEntity, nameOfPair, namesOfEntity } from './entity.ts'
import {
  asSubject,
  type Proposal,
  type ProposalContent,
  type ProposalSort,
  type ProposalStep,
  type ProposalSubject,
  proposal,
  proposalList,
  proposalStep,
} from './items.ts'
import { checkRelationshipNew, findRelationship, makeRelationship, namesOfRelationship } from './relationship.ts'

/** Loads a proposal of this sort. Undefined if absent, or of the other sort. One call. */
export async function loadProposal(id: string, sort: ProposalSort): Promise<ProposalSubject | undefined> {
  const about = await get(proposal, { id })
  return about?.content.sort === sort ? asSubject(about) : undefined
}

/** The most proposals of a list, and the most waiting ones that it shows besides. */
const MOST_LISTED = 100

/**
 * Lists the newest hundred proposals of a sort, newest first: of one person, of one status, or of all. `status` filters a person's
 * hundred. The list of all also has the hundred that have waited longest, so that none is overlooked. Two queries at most.
 */
export async function listProposals(
  sort: ProposalSort,
  { user, status }: { user?: string | undefined; status?: string | undefined },
): Promise<Proposal[]> {
  if (user) {
    const own = await list('gsi3', proposalList(sort, { user }), false)
    return own.filter((it) => !status || it.status === status)
  }
  if (status) return list('gsi1', proposalList(sort, { status }), false)
  const [newest, waiting] = await Promise.all([
    list('gsi2', proposalList(sort), false),
    list('gsi1', proposalList(sort, { status: 'submitted' }), true),
  ])
  const older = waiting.filter(({ id }) => !newest.some((it) => it.id === id))
  return [...newest, ...older.reverse()]
}

const list = async (index: 'gsi1' | 'gsi2' | 'gsi3', pk: string, forward: boolean): Promise<Proposal[]> =>
  (await walk({ index, pk, forward, limit: MOST_LISTED })).map((item) => parse(proposal, item))

/** Creates a draft. Fails with a field error if the draft is to extend a cluster and names none. */
export function createProposal(unit: UnitOfWork, actor: Actor, content: ProposalContent): Proposal {
  checkDraft(content)
  const at = now()
  const made: Proposal = {
    id: newId(),
    author_id: actor.id,
    machine: actor.key?.name ?? null,
    status: 'draft',
    content,
    claims: [],
    moderator_comment: '',
    decided_by: null,
    made: null,
    submitted_at: null,
    resolved_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  unit.add([put(proposal, made, undefined)])
  return made
}

/** Changes a draft. Fails with `invalid` if the proposal is no draft any more, and with `conflict` if somebody else was faster. */
export function amendProposal(unit: UnitOfWork, { about: old }: ProposalSubject, content: ProposalContent): Proposal {
  if (old.status !== 'draft') throw impossible('Only a draft is changed.')
  checkDraft(content)
  const next = withNextVersion<Proposal>(old, { content, updated_at: now() })
  unit.add([put(proposal, next, old)])
  return next
}

function checkDraft(content: ProposalContent): void {
  if (content.sort === 'entity' && content.resolution_mode === 'link_existing' && !content.existing_cluster)
    throw invalid({ existing_cluster: ['Name the cluster that is to be extended.'] })
}

/**
 * Submits a draft. Each member that names nothing visible to its author gets a field error. Fails with `conflict` if the same waits
 * already, was refused, or stands.
 */
export async function submitProposal(unit: UnitOfWork, { about }: ProposalSubject, actor: Actor): Promise<Proposal> {
  checkMove(about.status, 'submitted')
  const author = await authorOf(about, actor)
  const { names, others } = await checkContent(about.content, author)
  const claims = await claimNames(names, others, about.id)
  return move(unit, about, 'submitted', actor, { changes: { claims: names, submitted_at: now() }, also: claims })
}

/**
 * Checks what a proposal says, by what its author may see. Returns the `names` that the proposal reserves, and `others` that must not be
 * refused.
 */
async function checkContent(content: ProposalContent, author: Actor): Promise<{ names: string[]; others: string[] }> {
  if (content.sort === 'relationship') {
    const findings = await findRelationship(content, author)
    checkRelationshipNew(findings)
    return { names: namesOfRelationship(findings), others: [] }
  }
  const findings = await findEntity(content, author)
  await checkAnchorsFree(findings)
  const { pairs } = await checkPairs(findings, author)
  return { names: namesOfEntity(content, findings), others: pairs.map(nameOfPair) }
}

/** Withdraws a proposal that nobody has decided on. */
export async function withdrawProposal(unit: UnitOfWork, { about }: ProposalSubject, actor: Actor): Promise<Proposal> {
  checkMove(about.status, 'withdrawn')
  const also = await endClaims(about.claims, 'over')
  return move(unit, about, 'withdrawn', actor, { changes: { claims: [], resolved_at: now() }, also })
}

/** Refuses a proposal for good: nobody can propose the same again. */
export async function rejectProposal(
  unit: UnitOfWork,
  { about }: ProposalSubject,
  actor: Actor,
  comment: string,
): Promise<Proposal> {
  checkMove(about.status, 'rejected')
  const also = await endClaims(about.claims, 'refused')
  const changes = { moderator_comment: comment, decided_by: actor.id, resolved_at: now() }
  return move(unit, about, 'rejected', actor, { changes, also, comment })
}

/** Approves a proposal and carries it out, in one transaction. Everything is checked again. */
export async function approveProposal(
  unit: UnitOfWork,
  { about }: ProposalSubject,
  decider: Actor,
  comment: string,
): Promise<Proposal> {
  checkMove(about.status, 'approved')
  const author = await authorOf(about, decider)
  const made =
    about.content.sort === 'entity'
      ? await makeEntity(unit, about.content, author, { decider, comment })
      : await makeRelationship(unit, about.content, author, decider)
  const also = await endClaims(about.claims, 'over')
  const changes = { made, claims: [], moderator_comment: comment, decided_by: decider.id, resolved_at: now() }
  return move(unit, about, 'approved', decider, { changes, also, comment })
}

/** The author as a caller, with the key of the machine that drafted the proposal. One call; none if the author acts. */
async function authorOf({ author_id, machine }: Proposal, actor: Actor): Promise<Actor> {
  const key = machine === null ? {} : { key: { id: '', name: machine, scopes: [] } }
  if (actor.id === author_id) return { ...actor, ...key }
  const user = await loadUser(author_id)
  if (!user) throw impossible('The author of this proposal has left.')
  return { ...actorOf(user), ...key }
}

type Also = { changes: Partial<Proposal>; also: readonly Write[]; comment?: string }

function move(
  unit: UnitOfWork,
  old: Proposal,
  action: ProposalMove,
  actor: Actor,
  { changes, also, comment = '' }: Also,
): Proposal {
  const at = now()
  const next = withNextVersion<Proposal>(old, { ...changes, status: stateAfter(old.status, action), updated_at: at })
  const step: ProposalStep = {
    id: newId(),
    proposal_id: old.id,
    number: next.version,
    action,
    from_status: old.status,
    to_status: next.status,
    comment,
    actor_id: actor.id,
    created_at: at,
    version: 1,
  }
  // First in the transaction, so that the second of two deciders learns that the proposal has changed.
  unit.addFirst([put(proposal, next, old)])
  unit.add([put(proposalStep, step, undefined), ...also])
  return next
}

/** Lists the steps of a proposal, oldest first. One query. */
export async function listSteps(id: string): Promise<ProposalStep[]> {
  const { pk, sk } = key.proposalStep(id, 0)
  return (await queryAll(pk, sk.slice(0, sk.indexOf('#') + 1))).map((item) => parse(proposalStep, item))
}
