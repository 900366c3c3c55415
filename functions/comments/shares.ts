import * as v from 'valibot'
import { newId, now } from '../../lib/base/clock.ts'
import { notFound } from '../../lib/base/errors.ts'
import { kindKeys } from '../../lib/domain/kinds/index.ts'
import { findNamedRecord } from '../../lib/domain/records/named.ts'
import { countShare, loadShareCount, nameShare, platforms, ShareCountView, ShareView } from '../../lib/domain/shares.ts'
import { creation, ok } from '../../lib/platform/http/answer.ts'
import { choice, line, members, optionalChoice, REQUIRED } from '../../lib/platform/http/body.ts'
import { MISSING } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { listRoute, publicRoute, type Routes } from '../../lib/platform/http/route.ts'

const anyId = v.pipe(v.union([v.string(), v.number()], REQUIRED), v.transform(String), line(255), v.nonEmpty(REQUIRED))
const Share = members({
  entity_id: anyId,
  entity_type: v.pipe(
    optionalChoice(kindKeys),
    v.transform((kind) => kind ?? ''),
  ),
  platform: choice(platforms),
})
const Of = v.object({
  entity_id: v.pipe(v.optional(v.string(), ''), v.nonEmpty(MISSING), v.maxLength(255, MISSING)),
  entity_type: v.optional(v.string(), ''),
})

/** How often records were passed on. */
export const shares = {
  'POST /data/shares/': publicRoute({
    permission: 'share.create',
    summary: 'Count that a record was passed on',
    description:
      '`entity_id` is its review identity, or with `entity_type` its number. Who passed it on is not stored. Who passes it on again to the same platform counts once a day: the account, or without one the address.',
    answer: creation(ShareView),
    errors: [404],
    body: Share,
    throttles: [
      { scope: 'shares', rate: { limit: 60, seconds: 60 }, per: 'address', counts: 'every success' },
      {
        scope: 'share',
        rate: { limit: 1, seconds: 86_400 },
        per: 'given',
        counts: 'in the handler',
        isOptional: true,
      },
    ],
    handle: async ({ unit, actor, count, request, body: { entity_id, entity_type, platform } }) => {
      const record = await findNamedRecord(entity_id, entity_type, actor)
      if (!record) throw notFound()
      const caller = actor?.id ?? request.address
      if (await count('share', 1, nameShare(record.entity_id, platform, caller)))
        countShare(unit, record.entity_id, platform)
      return replyCreated({ id: newId(), entity: record.entity_id, platform, created_at: now() })
    },
  }),

  'GET /data/shares/count/': listRoute({
    permission: 'share.count',
    summary: 'Read how often a record was passed on',
    answer: ok(ShareCountView),
    errors: [404],
    query: Of,
    handle: async ({ actor, query: { entity_id, entity_type } }) => {
      const record = await findNamedRecord(entity_id, entity_type, actor)
      if (!record) throw notFound()
      return loadShareCount(record.entity_id)
    },
  }),
} satisfies Routes
