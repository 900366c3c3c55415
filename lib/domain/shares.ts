import { createHmac } from 'node:crypto'
import * as v from 'valibot'
import { config } from '../base/config.ts'
import * as s from '../base/shapes.ts'
import { addNumbers, getMany, itemAt, type UnitOfWork } from '../engines/table/index.ts'
import { key } from '../platform/table/keys.ts'

/** How often a record was passed on, by platform. The person is stored only as a keyed hash: see `nameShare`. */
export const platforms = ['twitter', 'facebook', 'linkedin', 'email', 'copy_link', 'other'] as const
export type SharePlatform = (typeof platforms)[number]

export const ShareView = s.shape('Share', () =>
  v.object({ id: s.uuid, entity: s.uuid, platform: s.oneOf(platforms), created_at: s.time }),
)
export const ShareCountView = s.shape('ShareCount', () =>
  v.object({ total: s.whole, by_platform: v.record(v.string(), s.whole) }),
)

/**
 * The name under which the count of a day remembers that one person passed on one record to one platform. It is a keyed hash, so a
 * reader of the table learns neither the person nor the record without the secret of the service.
 */
export const nameShare = (entity_id: string, platform: SharePlatform, caller: string): string =>
  createHmac('sha256', config.SECRET_KEY)
    .update(JSON.stringify(['share', entity_id, platform, caller]))
    .digest('base64url')

/** Counts that a record was passed on. Adds to a number without reading it, so many may do so at the same time. */
export function countShare(unit: UnitOfWork, entity_id: string, platform: SharePlatform): void {
  unit.add([addNumbers(key.shares(entity_id), { [platform]: 1 })])
}

const Counts = v.record(v.string(), v.unknown())

/** Returns how often a record was passed on, in all and by platform. Platforms without a count are left out. One call. */
export async function loadShareCount(
  entity_id: string,
): Promise<{ total: number; by_platform: Record<string, number> }> {
  const at = key.shares(entity_id)
  const stored = v.parse(Counts, itemAt(await getMany([at], true), at) ?? {})
  const counted = platforms.map((platform) => [platform, Number(stored[platform] ?? 0)] as const)
  return {
    total: counted.reduce((sum, [, count]) => sum + count, 0),
    by_platform: Object.fromEntries(counted.filter(([, count]) => count > 0)),
  }
}
