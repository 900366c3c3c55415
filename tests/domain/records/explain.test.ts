import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'
import { standingValues } from '../../harness/standing-values.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type It = { id: number; cultural_entity_id: string }
type Claim = Record<string, unknown>
type Explained = { property: string; value: string; standing: Claim | null; rule: string; why: string; rivals: Claim[] }
const explain = (who: Persona, it: It, property?: string) =>
  who.get(`/data/entities/${it.cultural_entity_id}/explain/`, { query: property === undefined ? {} : { property } })
const one = async (who: Persona, it: It, property: string) => sure(200, await explain(who, it, property)).properties[0]
const patch = async (who: Persona, it: It, body: object) => {
  app.tick(1)
  return sure(200, await who.patch(`/cidoc/structures/${it.id}/`, { body }))
}
const sourced = (source_type: string) => ({ assertion: { source_type, source_citation: `A ${source_type}` } })

test('a claim that waits, and a link to a hidden record, are explained to nobody who may not see them', async () => {
  const place = await publish(app, 'locations', { name: 'Hidden grove' })
  const it = await publish(app, 'structures', { name: 'Explains nothing hidden', has_current_location: place.id })
  sure(200, await app.staff.patch(`/cidoc/locations/${place.id}/`, { body: { access_tier: 'restricted' } }))
  sure(201, await decide(app.curator, place, { verdict: 'accept' }))
  const founder = await publish(app, 'persons', { name: 'Founder' })
  const claim = { cultural_entity_id: it.cultural_entity_id, asserted_property: 'relationship.commissioned_by' }
  const body = { ...claim, object_entity_type: 'person', object_entity_id: founder.id }
  sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
  const refused = { property: ['This record has no such property.'] }
  expect((await explain(app.anon, it, claim.asserted_property)).body).toEqual(refused)
  expect((await one(app.community, it, claim.asserted_property)).rivals).toHaveLength(1)
  const nothing = { rule: 'nothing', value: '', standing: null, decision: null }
  expect(await one(app.anon, it, 'has_current_location')).toMatchObject(nothing)
  expect(await one(app.community, it, 'has_current_location')).toMatchObject({
    rule: 'accepted',
    value: 'Hidden grove',
  })
  const query = { cultural_entity_id: it.cultural_entity_id, asserted_property: 'has_current_location' }
  expect(sure(200, await app.anon.get('/cidoc/assertions/', { query }))).toMatchObject({ count: 0, results: [] })
  expect(sure(200, await app.community.get('/cidoc/assertions/', { query }))).toMatchObject({ count: 1 })
})

test('the version of a record is not told by If-Match to whoever may not count its changes', async () => {
  const it = await publish(app, 'structures', { name: 'Has a version' })
  const path = `/data/entities/${it.cultural_entity_id}/comments/`
  for (const tag of ['"1"', '"2"', '"99"'])
    sure(400, await app.other.post(path, { body: {}, headers: { 'if-match': tag } }))
  sure(
    412,
    await app.contributor.patch(`/cidoc/structures/${it.id}/`, {
      body: { note: 'x' },
      headers: { 'if-match': '"99"' },
    }),
  )
})

describe('an explanation', () => {
  test('tells the value, its claim, and the decision that made it stand', async () => {
    const it = await publish(app, 'structures', { name: 'Explained', condition: 'Good', ...sourced('archival') })
    const { body } = await explain(app.anon, it, 'condition')
    expect(body).toEqual({
      entity_id: it.cultural_entity_id,
      entity_name: 'Explained',
      kind: 'structure',
      cidoc_id: it.id,
      properties: [
        {
          property: 'condition',
          label: 'Condition',
          value: 'Good',
          standing: expect.objectContaining({
            value: 'Good',
            source_type: 'archival',
            source_citation: 'A archival',
            contributed_by: 'dev',
            reconciliation_status: 'accepted',
          }),
          rule: 'accepted',
          why: 'It was accepted, and no other value stood.',
          decision: {
            id: expect.any(String),
            verdict: 'accept',
            conflict_handling: 'not_applicable',
            reviewer: expect.objectContaining({ username: 'curator', email: '' }),
            accepted_revision: 1,
            verification_method: null,
            reconciliation_note: '',
            created_at: expect.any(String),
          },
          rivals: [],
        },
      ],
    })
  })

  test.each([
    ['supersedes', 'Ruinous', 'Good', 'superseded'],
    ['coexist', 'Ruinous', 'Good', 'accepted'],
    ['existing_stands', 'Good', 'Ruinous', 'superseded'],
    ['refines', 'Ruinous', 'Good', 'accepted'],
    ['disputed', 'Good', 'Ruinous', 'disputed'],
  ] as const)('names %s as the rule by which %s stands', async (conflict_handling, value, rival, status) => {
    const it = await publish(app, 'structures', { name: 'Ruled', condition: 'Good', ...sourced('web') })
    await patch(app.staff, it, { condition: 'Ruinous', ...sourced('field_survey') })
    const note = 'Seen on site.'
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling, reconciliation_note: note }))
    const found = await one(app.community, it, 'condition')
    expect(found).toMatchObject({
      value,
      rule: conflict_handling,
      standing: { value },
      decision: { conflict_handling, reconciliation_note: note, reviewer: { username: 'expert' } },
      rivals: [
        {
          value: rival,
          reconciliation_status: status,
          source_type: rival === 'Good' ? 'web' : 'field_survey',
          verdict: 'contradicts',
          settled_by: { rule: conflict_handling, decision: found.decision.id },
        },
      ],
    })
  })

  test('tells of later edits, of edits on acceptance, and of what was taken away', async () => {
    const it = await publish(app, 'structures', { name: 'Later', note: 'one', description: 'd' })
    await patch(app.staff, it, { note: 'two', description: '' })
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    expect(await one(app.anon, it, 'note')).toMatchObject({ value: 'two', rule: 'replaced' })
    expect(await one(app.anon, it, 'description')).toMatchObject({ value: '', rule: 'removed', standing: null })
    await patch(app.contributor, it, { note: 'three' })
    sure(201, await decide(app.community, it, { verdict: 'accept_with_edits', edits: { note: 'four' } }))
    expect(await one(app.anon, it, 'note')).toMatchObject({
      value: 'four',
      rule: 'edited',
      standing: { contributed_by: 'reviewer' },
    })
    // Of a value that was settled twice the last decision speaks.
    expect(await one(app.anon, it, 'name')).toMatchObject({ rule: 'accepted', decision: { accepted_revision: 1 } })
  })

  test('of a refusal is told with the decision that refused', async () => {
    const it = await publish(app, 'structures', { name: 'Refused', note: 'one' })
    await patch(app.contributor, it, { note: 'two' })
    const refusal = sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    expect(await one(app.contributor, it, 'note')).toMatchObject({
      value: 'one',
      rivals: [{ value: 'two', settled_by: { decision: refusal.id, rule: 'refused' } }],
    })
  })

  test('covers every property when none is asked for', async () => {
    const it = await publish(app, 'structures', { name: 'All of it', condition: 'Good', note: 'n' })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'note', value: 'm' }
    sure(201, await app.other.post('/cidoc/assertions/', { body }))
    const { properties } = (await explain(app.anon, it)).body
    expect(properties.map((each: Explained) => [each.property, each.value]).sort()).toEqual([
      ['condition', 'Good'],
      ['name', 'All of it'],
      ['note', 'n'],
    ])
  })

  test('is given under any name of the property; an unknown one is told', async () => {
    const it = await publish(app, 'structures', { name: 'Aliased', coordinates: '27.6716, 85.4284' })
    expect(await one(app.anon, it, 'place_coordinates')).toMatchObject({ property: 'coordinates' })
    expect(await one(app.anon, it, 'note')).toEqual({
      property: 'note',
      label: expect.any(String),
      value: '',
      standing: null,
      rule: 'nothing',
      why: 'It has no value.',
      decision: null,
      rivals: [],
    })
    const unknown = await explain(app.anon, it, 'nonsense')
    expect([unknown.status, unknown.body]).toEqual([400, { property: ['This record has no such property.'] }])
  })
})

describe('who is told what', () => {
  test('rivals that wait or lost are for those who work on the record, and their own authors', async () => {
    const it = await publish(app, 'structures', { name: 'Told', condition: 'Good' })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'condition', value: 'Poor' }
    sure(201, await app.other.post('/cidoc/assertions/', { body }))
    await patch(app.staff, it, { condition: 'Ruinous' })
    const rivals = async (who: Persona) =>
      (await one(who, it, 'condition')).rivals.map((each: Claim) => each.value).sort()
    expect(await rivals(app.anon)).toEqual([])
    expect(await rivals(app.other)).toEqual(['Poor'])
    for (const who of [app.contributor, app.community, app.staff])
      expect(await rivals(who)).toEqual(['Poor', 'Ruinous'])
    expect((await explain(app.anon, it)).text).not.toMatch(/Poor|Ruinous/)
  })

  test.each([
    ['supersedes', 'Good'],
    ['existing_stands', 'Ruinous'],
  ])('a rival that lost by %s is for everybody, as the decision and the history are', async (handling, lost) => {
    const it = await publish(app, 'structures', { name: 'Lost', condition: 'Good' })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'condition', value: 'Ruinous' }
    app.tick(1)
    sure(201, await app.other.post('/cidoc/assertions/', { body }))
    app.tick(1)
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: handling }))
    for (const who of [app.anon, app.other, app.staff])
      expect(await one(who, it, 'condition')).toMatchObject({
        rule: handling,
        rivals: [{ value: lost, verdict: 'contradicts', settled_by: { rule: handling } }],
      })
  })

  test('what lost by a refusal, waits, or was public only to some, stays with those who may read it', async () => {
    const it = await publish(app, 'structures', {
      ...{ name: 'Kept', access_tier: 'community_only', condition: 'Good', coordinates: '27.6716, 85.4284' },
    })
    await patch(app.contributor, it, { condition: 'Fair', coordinates: '27.6719, 85.4289' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    await patch(app.contributor, it, { access_tier: 'public', condition: 'Ruinous', coordinates: '27.6722, 85.4293' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    await patch(app.contributor, it, { condition: 'Poor' })
    sure(201, await decide(app.domain, it, { verdict: 'reject', feedback: 'No.' }))
    await patch(app.contributor, it, { condition: 'Excellent' })
    const values = async (who: Persona, property: string) =>
      (await one(who, it, property)).rivals.map((each: Claim) => each.value)
    expect([await values(app.anon, 'condition'), await values(app.anon, 'coordinates')]).toEqual([[], []])
    expect(await values(app.other, 'condition')).toEqual(['Fair', 'Good'])
    expect(await values(app.other, 'coordinates')).toEqual(['', ''])
    expect(await values(app.staff, 'coordinates')).toEqual(['27.6719, 85.4289', '27.6716, 85.4284'])
    expect(await values(app.staff, 'condition')).toHaveLength(4)
    for (const who of [app.anon, app.other])
      expect((await explain(who, it)).text).not.toMatch(/Poor|Excellent|\.671[69]|\.428[49]/)
  })

  test('the words to the contributor are theirs and the reviewers’', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Confidential' })
    const internal_note = 'Between us.'
    sure(201, await decide(app.community, it, { verdict: 'accept', feedback: 'For you.', internal_note }))
    expect((await explain(app.anon, it)).text).not.toMatch(/For you|Between us/)
    expect((await one(app.contributor, it, 'name')).decision.feedback).toBe('For you.')
    expect((await explain(app.contributor, it)).text).not.toMatch(/Between us/)
  })

  test('what waits is explained to those who may see it', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Waiting', note: 'n' })
    for (const who of [app.anon, app.other]) expect((await explain(who, it)).status).toBe(404)
    for (const who of [app.contributor, app.community])
      expect(await one(who, it, 'note')).toMatchObject({ value: 'n', rule: 'waits', decision: null })
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    expect(await one(app.contributor, it, 'note')).toMatchObject({ value: 'n', rule: 'refused' })
  })

  test('a guarded place is rounded', async () => {
    const guarded = { access_tier: 'community_only', coordinates: '27.6716, 85.4284' }
    const it = await publish(app, 'structures', { name: 'Guarded', ...guarded })
    const rival = { entity_type: 'structure', entity_id: it.id, property: 'coordinates', value: '27.6719, 85.4289' }
    const { id } = sure(201, await app.community.post('/cidoc/assertions/', { body: rival }))
    const body = { reconciliation_status: 'disputed' }
    sure(200, await app.curator.patch(`/cidoc/assertions/${id}/`, { body }))
    const place = await one(app.other, it, 'coordinates')
    expect(place.rivals.map((each: Claim) => each.id)).toEqual([id])
    expect((await explain(app.other, it)).text).not.toMatch(/\.671[69]|\.428[49]/)
    const claim = (who: Persona) => who.get(`/cidoc/assertions/${id}/`)
    expect([(await claim(app.other)).body.value, (await claim(app.contributor)).body.value]).toEqual(['', rival.value])
    expect(await one(app.contributor, it, 'coordinates')).toMatchObject({ value: '27.6716, 85.4284' })
  })

  test('for one query, a batch read each of what it names and of people, and the model of doubt', async () => {
    const it = await publish(app, 'structures', { name: 'Costed', note: 'n', condition: 'Good' })
    await patch(app.contributor, it, { note: 'm' })
    expect(await commandsOf(() => explain(app.anon, it))).toEqual([
      'QueryCommand',
      'BatchGetItemCommand',
      'BatchGetItemCommand',
      'GetItemCommand',
    ])
  })
})

/** What people do to a record, in any order. What is refused is refused; the rules below hold nevertheless. */
const handlings = ['not_applicable', 'supersedes', 'coexist', 'existing_stands', 'refines', 'disputed'] as const
const condition = fc.constantFrom('Good', 'Fair', 'Poor', 'Ruinous', '')
const note = fc.constantFrom('one', 'two', '')
const date = fc.constantFrom('1702', '1702~', '1800', '')
const some = fc.record({ condition, note, construction_date: date }, { requiredKeys: [] })
const edit = fc.record({
  act: fc.constant('edit' as const),
  by: fc.constantFrom('contributor', 'staff'),
  body: some,
})
const claim = fc.record({ act: fc.constant('claim' as const), property: fc.constant('condition'), value: condition })
const settle = fc.record({
  act: fc.constant('settle' as const),
  reconciliation_status: fc.constantFrom('accepted', 'superseded'),
})
const verdict = fc.record({
  act: fc.constant('decide' as const),
  by: fc.constantFrom('domain', 'curator'),
  verdict: fc.constantFrom('accept', 'accept', 'accept_with_edits', 'reject', 'request_changes', 'escalate'),
  conflict_handling: fc.constantFrom(...handlings),
  edits: some,
})
/** Mostly somebody edits and somebody else decides. */
const steps = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.tuple(edit, verdict) }, fc.tuple(edit, claim), fc.tuple(settle, verdict)),
    {
      minLength: 3,
      maxLength: 9,
    },
  )
  .map((pairs) => pairs.flat())
type Step = typeof steps extends fc.Arbitrary<(infer A)[]> ? A : never

async function perform(it: It, { act: what, ...step }: Step) {
  app.tick(1)
  if (what === 'edit' && 'body' in step)
    return app[step.by === 'staff' ? 'staff' : 'contributor'].patch(`/cidoc/structures/${it.id}/`, { body: step.body })
  if (what === 'claim')
    return app.other.post('/cidoc/assertions/', { body: { entity_type: 'structure', entity_id: it.id, ...step } })
  if (what === 'settle') {
    const { body } = await app.curator.get('/cidoc/assertions/', {
      query: { cultural_entity_id: it.cultural_entity_id, status: 'pending' },
    })
    const apart = body.results.find((each: Claim) => each.revision_number === null)
    return apart && app.curator.patch(`/cidoc/assertions/${apart.id}/`, { body: step })
  }
  return 'by' in step && decide(step.by === 'domain' ? app.domain : app.curator, it, { ...step, feedback: 'Because.' })
}

/** In another order than they were stored in. */
const turned = <T>(items: readonly T[], by: number) =>
  [...items.slice(by % (items.length || 1)), ...items.slice(0, by % (items.length || 1))].reverse()

test('what stands follows from claims and decisions alone, whatever people do', async () => {
  const { loadHistory, claimStatesOf } = await import('../../../lib/domain/records/history.ts')
  const { computeCanonical } = await import('../../../lib/domain/records/rules/canonical.ts')
  let published = 0
  await fc.assert(
    fc.asyncProperty(steps, async (acts) => {
      const it = await publish(app, 'structures', { name: 'Random', condition: 'Good', note: 'zero' })
      for (const [n, step] of acts.entries()) {
        const reply = await perform(it, step)
        if (reply) expect(reply.status, reply.text).toBeLessThan(500)
        const history = await loadHistory(it.cultural_entity_id)
        if (!history) throw new Error('lost')
        published += step.act === 'decide' && reply && reply.status === 201 ? 1 : 0
        const standing = computeCanonical(
          turned(claimStatesOf(history.assertions), n),
          turned(history.decisions, n + 1),
        )
        expect(standingValues(standing)).toEqual(history.data)
        const accepted = history.revisions.find((one) => one.revision_number === history.accepted_revision)
        expect(accepted?.data).toEqual(history.data)
        const open = history.flags.filter((one) => !one.is_resolved)
        expect(history.open_flags).toBe(open.length)
        if (history.status === 'accepted') {
          const waits = history.assertions.filter(
            (one) => one.reconciliation_status === 'pending' && one.revision_number !== null,
          )
          expect(waits).toEqual([])
        }
      }
      const { properties } = (await explain(app.staff, it)).body
      const { body } = await app.staff.get(`/cidoc/structures/${it.id}/`)
      for (const { property, value, standing } of properties as Explained[]) {
        expect([property, value]).toEqual([property, body[property]])
        expect(standing?.value ?? '').toBe(value)
      }
    }),
    { numRuns: 12 },
  )
  // Most verdicts were taken.
  expect(published).toBeGreaterThan(24)
}, 60_000)
