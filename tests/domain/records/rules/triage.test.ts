import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ageAt,
  agedOrder,
  computeTriage,
  DAY_MS,
  fromAged,
  orderAt,
  passesAt,
  type TriageSubject,
  toAged,
  worstSource,
  youngOrder,
} from '../../../../lib/domain/records/rules/triage.ts'

const START = Date.parse('2025-01-15T10:00:00.000Z')
const it = (more: Partial<TriageSubject> & { days?: number } = {}): TriageSubject => ({
  entity_id: 'a',
  created_at: new Date(START - (more.days ?? 0) * DAY_MS).toISOString(),
  open_flags: 0,
  open_contradictions: 0,
  worst_source_rank: 0,
  ...more,
})
const priority = (more: Parameters<typeof it>[0]) => computeTriage(it(more), START).triage_priority

describe('the score', () => {
  test('grows by age for thirty days, by flags up to ten, by a contradiction and by a weak source', () => {
    expect(priority({})).toBe(0)
    expect([priority({ days: 15 }), priority({ days: 30 }), priority({ days: 400 })]).toEqual([1250, 2500, 2500])
    expect([priority({ open_flags: 1 }), priority({ open_flags: 10 }), priority({ open_flags: 11 })]).toEqual([
      150, 1500, 1500,
    ])
    expect([priority({ open_contradictions: 1 }), priority({ open_contradictions: 5 })]).toEqual([3000, 3000])
    expect([1, 3, 6].map((rank) => priority({ worst_source_rank: rank }))).toEqual([167, 500, 1000])
    expect(priority({ days: 12, open_flags: 3, open_contradictions: 1, worst_source_rank: 4 })).toBe(5117)
  })

  test('of something made by a clock that is ahead of ours is that of something new', () => {
    expect(computeTriage(it({ days: -1 }), START)).toMatchObject({ triage_priority: 0, days_in_review: 0 })
  })
})

describe('the worst source', () => {
  test.each([
    [['inscription', 'web', 'archival'], { worst_source_type: 'web', worst_source_rank: 5 }],
    [['inscription', 'book'], { worst_source_type: 'book', worst_source_rank: 6 }],
    [['inscription', ''], { worst_source_type: null, worst_source_rank: 6 }],
    [['inscription'], { worst_source_type: 'inscription', worst_source_rank: 0 }],
    [[], { worst_source_type: null, worst_source_rank: 6 }],
  ])('among %j is %j', (types, worst) => {
    expect(worstSource(types)).toEqual(worst)
  })
})

describe('the order', () => {
  const weighed = fc
    .record({
      days: fc.double({ min: 0, max: 60, noNaN: true }),
      open_flags: fc.nat(12),
      open_contradictions: fc.nat(2),
      worst_source_rank: fc.nat(6),
      entity_id: fc.uuid(),
    })
    .map(it)
  const moment = fc.integer({ min: START, max: START + 90 * DAY_MS })

  test('never contradicts the score', () => {
    fc.assert(
      fc.property(weighed, weighed, moment, (a, b, at) => {
        const [first, second] = orderAt(a, at) < orderAt(b, at) ? [a, b] : [b, a]
        expect(computeTriage(first, at).triage_priority).toBeGreaterThanOrEqual(
          computeTriage(second, at).triage_priority,
        )
      }),
    )
  })

  test('of the young is the same at every moment, and so is that of the aged', () => {
    fc.assert(
      fc.property(weighed, weighed, moment, (a, b, at) => {
        const aged = [a, b].map((each) => ageAt(each.created_at, at) === 'aged')
        const stored = aged.every(Boolean) ? agedOrder : aged.some(Boolean) ? undefined : youngOrder
        if (stored) expect(stored(a) < stored(b)).toBe(orderAt(a, at) < orderAt(b, at))
      }),
    )
  })

  test('places the aged among the young, and the way back', () => {
    fc.assert(
      fc.property(weighed, moment, (a, at) => {
        const place = orderAt(a, at)
        expect(fromAged(toAged(place, at), at)).toBe(place)
        const stored = ageAt(a.created_at, at) === 'aged' ? fromAged(agedOrder(a), at) : youngOrder(a)
        expect(stored).toBe(place)
      }),
    )
  })

  test('puts more flags, then the older, then the lower id first among equals', () => {
    const flagged = it({ open_flags: 11, days: 40 })
    const older = it({ open_flags: 10, days: 41 })
    const younger = it({ open_flags: 10, days: 40, entity_id: 'b' })
    const last = it({ open_flags: 10, days: 40, entity_id: 'c' })
    const order = [last, younger, older, flagged].toSorted((a, b) => (orderAt(a, START) < orderAt(b, START) ? -1 : 1))
    expect(order).toEqual([flagged, older, younger, last])
  })
})

describe('age', () => {
  test('passes after fourteen and after thirty days, to the millisecond', () => {
    const { created_at } = it()
    expect(
      [14 * DAY_MS - 1, 14 * DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS].map((waited) => ageAt(created_at, START + waited)),
    ).toEqual(['fresh', 'expiring', 'expiring', 'aged'])
    expect((['fresh', 'expiring', 'aged'] as const).map((age) => passesAt(age, created_at))).toEqual([
      '2025-01-29T10:00:00.000Z',
      '2025-02-14T10:00:00.000Z',
      undefined,
    ])
  })
})
