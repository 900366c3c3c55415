import { describe, expect, test } from 'vitest'
import { canRead } from '../../lib/base/visibility.ts'
import { appendRow, columnsFrom, labelsFrom, readableFlags } from '../../lib/engines/search/index/columns.ts'
import { type Actor, maySee, scopeOf } from '../../lib/platform/permissions.ts'
import { documentOf } from '../harness/search-documents.ts'

const person = (id: string, also: Partial<Actor> = {}): Actor => ({
  ...{ id, username: id, email: '', is_staff: false, is_superuser: false, rank: null },
  ...also,
})
const readers: Readonly<Record<string, Actor | null>> = {
  nobody: null,
  contributor: person('maya'),
  stranger: person('ram'),
  reviewer: person('sita', { rank: 'expert_curator' }),
  staff: person('admin', { is_staff: true }),
}
const tiers = ['public', 'restricted', 'sensitive_indigenous', 'community_only', undefined]
const both = [true, false]

/** Each combination of who asks, what stands, its tier, and who has contributed it. */
const cases = Object.entries(readers).flatMap(([who, actor]) =>
  both.flatMap((isPublished) =>
    tiers.flatMap((tier) => ['maya', null].map((contributor) => ({ who, actor, isPublished, tier, contributor }))),
  ),
)

describe('one rule says who may read', () => {
  test.each(cases)('$who of $isPublished $tier by $contributor: the permission and search agree', (it) => {
    const permitted = maySee(it.actor, {
      contributor_id: it.contributor,
      public: it.isPublished,
      access_tier: it.tier,
    })
    const columns = columnsFrom(0, () => undefined)
    const document = documentOf(1, 'Shrine', {
      is_published: it.isPublished,
      access_tier: it.tier ?? 'public',
      contributor_id: it.contributor,
    })
    const at = appendRow(columns, labelsFrom(), document, { contributor: 0, name: 0 })
    const scope = scopeOf(it.actor)
    const isOwn = scope.own !== null && scope.own === it.contributor
    const found = readableFlags(scope, isOwn)[columns.flags[at] ?? 0] === 1
    expect(found).toBe(permitted)
    // As the contract has it, in words of its own.
    const open = it.tier === undefined || it.tier === 'public'
    const expected = {
      nobody: it.isPublished && open,
      contributor: it.isPublished || it.contributor === 'maya',
      stranger: it.isPublished,
      reviewer: it.isPublished,
      staff: true,
    }[it.who]
    expect(permitted).toBe(expected)
  })

  test.each(cases)('$who of $isPublished $tier by $contributor: what is deleted is for staff alone', (it) => {
    const subject = { contributor_id: it.contributor, public: it.isPublished, access_tier: it.tier, deleted_at: 'x' }
    expect(maySee(it.actor, subject)).toBe(it.who === 'staff')
  })

  test('a contributor reads what waits, others do not', () => {
    const facts = { isDeleted: false, isPublished: false, isForEveryone: true }
    const reader = { signedIn: true, everything: false }
    expect([true, false].map((isOwn) => canRead({ ...facts, isOwn }, reader))).toEqual([true, false])
  })
})
