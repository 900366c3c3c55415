import { describe, expect, test } from 'vitest'
import {
  type ComparedClaim,
  contradictingRivals,
  findConflicts,
} from '../../../../lib/domain/records/rules/conflicts.ts'

const claim = (id: string, value: string, more: Partial<ComparedClaim> = {}): ComparedClaim => ({
  ...{ id, property: 'construction_date', comparator: 'date', value, status: 'pending', author: 'asha', ...more },
})

describe('conflictsOf', () => {
  test('each standing claim on the property is judged', () => {
    const standing = [
      claim('a', '1702', { status: 'accepted' }),
      claim('b', '17XX', { author: 'bir' }),
      claim('c', 'c. 1600', { status: 'disputed' }),
    ]
    expect(findConflicts(standing, [claim('new', '1702-05-01', { author: 'chandra' })])).toEqual([
      {
        claim: 'new',
        rivals: [
          { id: 'a', status: 'accepted', verdict: 'refines' },
          { id: 'b', status: 'pending', verdict: 'refines' },
          { id: 'c', status: 'disputed', verdict: 'contradicts' },
        ],
        replaces: [],
      },
    ])
  })

  test('claims on other properties, and superseded ones, are no rivals', () => {
    const standing = [
      claim('a', '1500', { property: 'restoration_date', status: 'accepted' }),
      claim('b', '1500', { status: 'superseded' }),
    ]
    expect(findConflicts(standing, [claim('new', '1702')])).toEqual([{ claim: 'new', rivals: [], replaces: [] }])
  })

  test('nobody contradicts their own waiting claim: the newer one replaces it', () => {
    expect(findConflicts([claim('old', '1500')], [claim('new', '1702')])).toEqual([
      { claim: 'new', rivals: [], replaces: ['old'] },
    ])
  })

  test('against an accepted value a contradiction counts whoever made it', () => {
    const [met] = findConflicts([claim('old', '1500', { status: 'accepted' })], [claim('new', '1702')])
    expect(met?.rivals).toEqual([{ id: 'old', status: 'accepted', verdict: 'contradicts' }])
  })

  test('the waiting claim of another author is a rival', () => {
    const [met] = findConflicts([claim('old', '1500', { author: 'bir' })], [claim('new', '1702')])
    expect(met && contradictingRivals(met)).toEqual([{ id: 'old', status: 'pending', verdict: 'contradicts' }])
  })

  test('a claim is no rival of itself, nor of those that come with it', () => {
    const both = [claim('one', '1500'), claim('two', '1702')]
    expect(findConflicts([], both).flatMap((each) => each.rivals)).toEqual([])
    expect(findConflicts([claim('one', '1500', { status: 'accepted' })], [claim('one', '1500')])[0]?.rivals).toEqual([])
  })

  test('only contradictions are left for the reviewer to settle', () => {
    const standing = [claim('a', '1702', { author: 'bir' }), claim('b', '1500', { author: 'bir' })]
    const [met] = findConflicts(standing, [claim('new', '1702')])
    expect(met && contradictingRivals(met).map((rival) => rival.id)).toEqual(['b'])
  })
})
