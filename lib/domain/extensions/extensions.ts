import { newId, now } from '../../base/clock.ts'
import { conflict, impossible, invalid } from '../../base/errors.ts'
import {
  getMany,
  itemIn,
  parse,
  put,
  queryAll,
  remove,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { registry } from '../kinds/schema/registry.ts'
import {
  asSubject,
  type Extension,
  type ExtensionSubject,
  extension,
  extensionClaim,
  extensionList,
  extensionStep,
  extensionText,
  type Step,
} from './items.ts'
import { type ProposalMove, stateAfter } from './life.ts'
import { conflictKeysOf } from './yaml.ts'

/** Proposals that a list shows. */
const MOST_LISTED = 100
/** The most definitions of one proposal. Each is a write of the transaction that submits it. */
const MOST_KEYS = 60

export type WholeExtension = ExtensionSubject & { proposed_yaml: string; textVersion: number }

/** Loads a proposal with its YAML. Undefined if absent. One call. */
export async function loadExtension(id: string): Promise<WholeExtension | undefined> {
  const found = await getMany([key.extension(id), key.extensionText(id)], true)
  const about = itemIn(found, extension, { id })
  const text = itemIn(found, extensionText, { id })
  return about && { ...asSubject(about), proposed_yaml: text?.proposed_yaml ?? '', textVersion: text?.version ?? 0 }
}

/** Lists proposals, newest first: of one person, or without `user` all. The newest hundred. One query. */
export const listExtensions = async (user: string | undefined): Promise<Extension[]> =>
  (await walk({ index: user ? 'gsi3' : 'gsi2', pk: extensionList(user), forward: false, limit: MOST_LISTED })).map(
    (item) => parse(extension, item),
  )

export type ExtensionInput = { title: string; description: string; proposed_yaml: string }

/** Creates a draft. */
export function createExtension(
  unit: UnitOfWork,
  actor: Actor,
  { proposed_yaml, ...input }: ExtensionInput,
): Extension {
  const at = now()
  const made: Extension = {
    ...input,
    id: newId(),
    author_id: actor.id,
    status: 'draft',
    base_schema_version: '',
    conflict_keys: [],
    moderator_comment: '',
    published_schema_version: '',
    published_extension_hash: '',
    submitted_at: null,
    resolved_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  unit.add([put(extension, made, undefined), put(extensionText, { id: made.id, proposed_yaml, version: 1 }, undefined)])
  return made
}

/** Changes a draft. Fails with `invalid` if it was submitted or withdrawn, and with `conflict` if somebody else was faster. */
export function amendExtension(
  unit: UnitOfWork,
  { about: old, proposed_yaml: before, textVersion }: WholeExtension,
  { proposed_yaml = before, ...changes }: Partial<ExtensionInput>,
): { about: Extension; proposed_yaml: string } {
  if (old.status !== 'draft') throw impossible('Only a draft is changed.')
  const next = withNextVersion<Extension>(old, { ...changes, updated_at: now() })
  const text = (version: number) => ({
    id: old.id,
    proposed_yaml: version === textVersion ? before : proposed_yaml,
    version,
  })
  unit.add([
    put(extension, next, old),
    ...(proposed_yaml === before ? [] : [put(extensionText, text(textVersion + 1), text(textVersion))]),
  ])
  return { about: next, proposed_yaml }
}

/** Submits a draft. Fails with `invalid` if its YAML cannot be read, and with `conflict` if an open proposal defines the same. */
export async function submitExtension(unit: UnitOfWork, it: WholeExtension, actor: Actor): Promise<Extension> {
  const conflict_keys = conflictKeysOf(it.proposed_yaml)
  if (conflict_keys === undefined) throw invalid({ proposed_yaml: ['This is no YAML with a mapping at its root.'] })
  if (conflict_keys.length > MOST_KEYS) throw impossible(`A proposal defines no more than ${MOST_KEYS} things.`)
  const { schema_version } = registry()
  const claims = conflict_keys.map((name) =>
    put(extensionClaim, claimOf(name, it.about.id), undefined, () =>
      conflict(`Another open proposal defines ${name} already.`),
    ),
  )
  const changes = { conflict_keys, base_schema_version: schema_version, submitted_at: now() }
  return move(unit, it.about, 'submitted', actor, { changes, also: claims })
}

/** The claim of a proposal to a definition. */
export const claimOf = (name: string, extension_id: string) => ({ name, extension_id, version: 1 as const })

/**
 * Withdraws, approves or rejects a proposal. Fails with `invalid` if its state does not allow that, and with `conflict` if somebody else
 * was faster.
 */
export function stepExtension(
  unit: UnitOfWork,
  { about }: ExtensionSubject,
  action: 'withdrawn' | 'approved' | 'rejected',
  actor: Actor,
  comment = '',
): Promise<Extension> {
  // A submitted proposal that is withdrawn or rejected gives up its claims.
  const frees = action !== 'approved' && about.status === 'submitted'
  const also = frees ? about.conflict_keys.map((name) => remove(extensionClaim, claimOf(name, about.id))) : []
  const decided = action !== 'withdrawn' && { moderator_comment: comment }
  return move(unit, about, action, actor, { changes: { ...decided, resolved_at: now() }, also, comment })
}

type Move = { changes: Partial<Extension>; also: readonly Write[]; comment?: string }

async function move(
  unit: UnitOfWork,
  old: Extension,
  action: ProposalMove,
  actor: Actor,
  it: Move,
): Promise<Extension> {
  return writeStep(unit, old, { action, to: stateAfter(old.status, action), actor, ...it })
}

type NewStep = Move & { action: Step['action']; to: Extension['status']; actor: Actor }

/** Writes a step of a proposal with what it changes. Fails with `conflict` if somebody else was faster. */
export function writeStep(
  unit: UnitOfWork,
  old: Extension,
  { action, to, actor, changes, also, comment = '' }: NewStep,
): Extension {
  const at = now()
  const next = withNextVersion<Extension>(old, { ...changes, status: to, updated_at: at })
  const step: Step = {
    id: newId(),
    extension_id: old.id,
    number: next.version,
    action,
    from_status: old.status,
    to_status: to,
    comment,
    actor_id: actor.id,
    schema_version_snapshot: next.published_schema_version || next.base_schema_version,
    created_at: at,
    version: 1,
  }
  unit.add([put(extension, next, old), put(extensionStep, step, undefined), ...also])
  return next
}

/** Lists the steps of a proposal, oldest first. One query. */
export async function listSteps(id: string): Promise<Step[]> {
  const { pk, sk } = key.extensionStep(id, 0)
  return (await queryAll(pk, sk.slice(0, sk.indexOf('#') + 1))).map((item) => parse(extensionStep, item))
}
