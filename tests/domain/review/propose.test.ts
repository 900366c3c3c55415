import { describe, expect, test } from 'vitest'
import { kinds } from '../../../lib/domain/kinds/index.ts'
import { sourceType } from '../../../lib/domain/kinds/schema/enums.ts'
import { ladders, propertySorts, sortOfProperty } from '../../../lib/domain/records/rules/evidence.ts'
import { type Evidence, proposeHandling } from '../../../lib/domain/review/propose.ts'

const handling = (standing: [string, string], rival: [string, string]) => {
  const [old, next] = [standing, rival].map(([source_type, confidence]) => ({ source_type, confidence }))
  return old && next && proposeHandling('contradicts', old, next)?.proposed_handling
}

test.each(propertySorts)('every type of source has one rung for %s', (sort) => {
  expect(ladders[sort].flat().sort()).toEqual(Object.keys(sourceType.values).sort())
})

describe('of two values that exclude each other', () => {
  test.each([
    // A blog never takes the place of scholarship, however sure it is of itself.
    [['book', 'likely'], ['web', 'certain'], 'existing_stands'],
    [['journal', 'speculative'], ['web', 'certain'], 'existing_stands'],
    [['web', 'likely'], ['book', 'likely'], 'supersedes'],
    [['web', 'likely'], ['inscription', 'certain'], 'supersedes'],
    [['image', 'likely'], ['thesis', 'likely'], 'supersedes'],
    // A better source that is less sure of it decides nothing.
    [['web', 'certain'], ['book', 'uncertain'], 'disputed'],
    // Close ranks: only confidence decides, and never for the new one.
    [['book', 'likely'], ['archive', 'certain'], 'disputed'],
    [['book', 'certain'], ['archive', 'likely'], 'existing_stands'],
    [['archival', 'likely'], ['archive', 'likely'], 'disputed'],
    [['thesis', 'likely'], ['journal', 'certain'], 'disputed'],
    [['field_note', 'certain'], ['field_survey', 'likely'], 'existing_stands'],
    // What has no source is trusted least.
    [['', 'likely'], ['oral_history', 'likely'], 'supersedes'],
    [['', 'likely'], ['web', 'likely'], 'disputed'],
  ] as const)('%j stands, %j is new: %s', (standing, rival, proposed) => {
    expect(handling([...standing], [...rival])).toBe(proposed)
  })
})

test('what agrees needs no choice between sources', () => {
  const [web, book] = ['web', 'book'].map((source_type) => ({ source_type, confidence: 'likely' }))
  if (!web || !book) throw new Error('two claims')
  expect(proposeHandling('same', book, web)).toBeUndefined()
  expect(proposeHandling('refines', book, web)?.proposed_handling).toBe('refines')
  expect(proposeHandling('compatible', book, web)?.proposed_handling).toBe('coexist')
})

/** Two claims as a librarian would meet them: a property of a kind, what stands, what is new, the answer, and the reason for it. */
type Pair = readonly [
  about: string,
  standing: Partial<Evidence>,
  rival: Partial<Evidence>,
  answer: string,
  reason: string,
]
const judged: readonly Pair[] = [
  // Where it stands.
  [
    'structure coordinates',
    { source_type: 'inscription' },
    { source_type: 'book' },
    'supersedes',
    'No inscription gives degrees: somebody read them off for it.',
  ],
  [
    'structure coordinates',
    { source_type: 'book' },
    { source_type: 'field_survey' },
    'supersedes',
    'Measured on the spot.',
  ],
  [
    'structure coordinates',
    { source_type: 'field_survey' },
    { source_type: 'oral_history' },
    'existing_stands',
    'Nobody tells degrees by heart.',
  ],
  [
    'monument coordinates',
    { source_type: 'field_survey', source_citation: 'Survey 1975' },
    { source_type: 'field_survey', source_citation: 'Survey 2016' },
    'supersedes',
    'The later survey had satellites.',
  ],
  [
    'structure coordinates',
    { source_type: 'web' },
    { source_type: 'archival' },
    'disputed',
    'A land register is careful, and a map on the web is often copied from one.',
  ],
  // When it was made.
  [
    'person birth_date',
    { source_type: 'book' },
    { source_type: 'oral_history', confidence: 'certain' },
    'existing_stands',
    'A published date was looked up; memory shifts by years.',
  ],
  [
    'structure construction_date',
    { source_type: 'book' },
    { source_type: 'inscription' },
    'supersedes',
    'The founder dated it in stone.',
  ],
  [
    'structure construction_date',
    { source_type: 'archival' },
    { source_type: 'field_survey' },
    'existing_stands',
    'A surveyor sees a style, not a year.',
  ],
  [
    'iconography creation_date',
    { source_type: 'web' },
    { source_type: 'journal' },
    'supersedes',
    'An article argues its date.',
  ],
  [
    'structure construction_date',
    { source_type: 'thesis' },
    { source_type: 'journal' },
    'disputed',
    'Two studies disagree: an expert has to read both.',
  ],
  // What state it is in.
  [
    'structure existence_status',
    { source_type: 'web' },
    { source_type: 'field_survey' },
    'supersedes',
    'Who stood before a ruin knows that it is one.',
  ],
  [
    'structure condition',
    { source_type: 'field_survey', source_citation: 'Survey, 2014' },
    { source_type: 'field_survey', source_citation: 'Survey, 2016' },
    'supersedes',
    'There was an earthquake between.',
  ],
  [
    'structure condition',
    { source_type: 'image', generated_at_time: '2016-01-01' },
    { source_type: 'book', source_citation: 'Slusser, Nepal Mandala, 1982' },
    'existing_stands',
    'The photograph shows a later state than the book.',
  ],
  [
    'structure existence_status',
    { source_type: 'field_survey', source_citation: 'Survey, 1979' },
    { source_type: 'web', source_citation: 'A page of 2016' },
    'disputed',
    'Something may have happened in between; nobody has looked.',
  ],
  [
    'structure existence_status',
    { source_type: 'inscription' },
    { source_type: 'image' },
    'supersedes',
    'A stone of old says nothing of today.',
  ],
  // What is believed and done.
  [
    'structure dedicated_to',
    { source_type: 'book' },
    { source_type: 'oral_history' },
    'coexist',
    'Many a shrine is two deities to two communities.',
  ],
  [
    'ritual performed_by',
    { source_type: 'web' },
    { source_type: 'oral_history' },
    'supersedes',
    'Those who perform it know who does.',
  ],
  // What it is called.
  [
    'structure name',
    { source_type: 'web' },
    { source_type: 'inscription' },
    'supersedes',
    'The name in the stone of its foundation.',
  ],
  [
    'structure name',
    { source_type: 'book' },
    { source_type: 'oral_history' },
    'coexist',
    'The name of the books and the name of the neighbours.',
  ],
  // Anything else.
  [
    'structure structure_type',
    { source_type: 'web' },
    { source_type: 'book' },
    'supersedes',
    'An encyclopedia of anybody against a study.',
  ],
]

test('a librarian agrees with the advice on at least 18 of 20 pairs', () => {
  const answers = judged.map(([about, standing, rival, answer, reason]) => {
    const [kind, property] = about.split(' ') as [keyof typeof kinds, string]
    const [old, next] = [standing, rival].map((it) => ({ source_type: '', confidence: 'likely', ...it }))
    if (!old || !next) throw new Error('two claims')
    const proposal = proposeHandling('contradicts', old, next, { sort: sortOfProperty(kinds[kind], property) })
    return { about, reason, answer, advice: proposal?.proposed_handling }
  })
  expect(answers.length).toBe(20)
  expect(
    answers.filter(({ answer, advice }) => answer !== advice).length,
    JSON.stringify(answers, null, 1),
  ).toBeLessThanOrEqual(2)
})

describe('advice', () => {
  const claimed = (it: Partial<Evidence>): Evidence => ({ source_type: 'book', confidence: 'likely', ...it })

  test('says of what the better source knows more', () => {
    const advice = proposeHandling('contradicts', claimed({}), claimed({ source_type: 'field_survey' }), {
      sort: 'position',
    })
    expect(advice?.why).toBe(
      'The values exclude each other, and the source of the new one knows better where a thing stands.',
    )
  })

  test('goes against a source that is withdrawn, and trusts a questioned one less', () => {
    const against = (
      standing_of_source: Evidence['standing_of_source'],
      rival = claimed({ source_type: 'archival' }),
    ) => proposeHandling('contradicts', claimed({ standing_of_source }), rival)?.proposed_handling
    expect(against('trusted')).toBe('disputed')
    expect(against('withdrawn', claimed({ source_type: 'web' }))).toBe('supersedes')
    expect(against('questioned')).toBe('supersedes')
    const next = claimed({ standing_of_source: 'withdrawn' })
    expect(proposeHandling('contradicts', claimed({ source_type: 'web' }), next)?.proposed_handling).toBe(
      'existing_stands',
    )
  })
})
