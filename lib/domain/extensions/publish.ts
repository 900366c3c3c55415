import { hash } from 'node:crypto'
import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import { get, put, remove, type UnitOfWork } from '../../engines/table/index.ts'
import { forgetKeptState } from '../../platform/kept-state.ts'
import type { Actor } from '../../platform/permissions.ts'
import { kinds } from '../kinds/index.ts'
import { overlayItem, type StoredOverlay } from '../kinds/overlay-item.ts'
import { appliedOverlay, applyOverlay, type Overlay } from '../kinds/schema/overlay.ts'
import { registry } from '../kinds/schema/registry.ts'
import { claimOf, type WholeExtension, writeStep } from './extensions.ts'
import { type Extension, extensionClaim } from './items.ts'
import { livePartOf } from './live.ts'

/** Fields and values that all proposals together may add. The item is read by every process. */
const MOST_ADDED = 500

/**
 * Publishes an approved proposal: what it adds is kept beside the kinds, and within ten seconds every process goes by it. Fails with `invalid`
 * if part of it takes a release, and with `conflict` if somebody else was faster.
 */
export async function publishExtension(unit: UnitOfWork, it: WholeExtension, actor: Actor): Promise<Extension> {
  if (it.about.status !== 'approved') throw impossible('Only an approved proposal is published.')
  const part = livePartOf(it.proposed_yaml)
  if (!part) throw impossible('This is no YAML with a mapping at its root.')
  if (part.takesRelease.length > 0)
    throw impossible(
      `Publishing takes a release for ${part.takesRelease.slice(0, 10).join(', ')}: without one come values of open lists and optional fields of kinds that there are.`,
    )
  if (part.fields.length + part.values.length === 0) throw impossible('It defines nothing that is not there already.')
  const old = await get(overlayItem, {})
  const next: StoredOverlay = {
    fields: [...(old?.fields ?? []), ...part.fields],
    values: [...(old?.values ?? []), ...part.values],
    updated_at: now(),
    version: (old?.version ?? 0) + 1,
  }
  if (next.fields.length + next.values.length > MOST_ADDED)
    throw impossible(`More than ${MOST_ADDED} additions take a release.`)
  const changes = {
    published_schema_version: versionWith(next),
    published_extension_hash: hash('sha256', JSON.stringify(part)),
    resolved_at: now(),
  }
  const freed = it.about.conflict_keys.map((name) => remove(extensionClaim, claimOf(name, it.about.id)))
  const made = writeStep(unit, it.about, { action: 'published', to: 'published', actor, changes, also: freed })
  unit.add([put(overlayItem, next, old)])
  forgetKeptState()
  return made
}

/** The version of the registry with these additions. Afterwards the kinds are as they were. */
function versionWith(next: Overlay): string {
  const before = appliedOverlay()
  applyOverlay(kinds, next)
  try {
    return registry().schema_version
  } finally {
    applyOverlay(kinds, before)
  }
}
