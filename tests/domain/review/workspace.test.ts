import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type It = { id: number; cultural_entity_id: string }
const path = (it: It) => `/data/review-workspace/${it.cultural_entity_id}/`
const open = async (it: It, who: Persona = app.community) => sure(200, await who.get(path(it)))
const patch = async (who: Persona, it: It, body: object) => {
  app.tick(1)
  return sure(200, await who.patch(`/cidoc/structures/${it.id}/`, { body }))
}
const nothing = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'

describe('the workspace', () => {
  test('is for reviewers', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'For reviewers' })
    expect((await app.anon.get(path(it))).status).toBe(401)
    for (const who of [app.contributor, app.other]) expect((await who.get(path(it))).status).toBe(403)
    for (const who of [app.community, app.domain, app.curator, app.staff])
      expect((await who.get(path(it))).status).toBe(200)
  })

  test('is not found where there is no record, or no longer', async () => {
    expect((await app.community.get(`/data/review-workspace/${nothing}/`)).status).toBe(404)
    expect((await app.community.get('/data/review-workspace/12/')).status).toBe(404)
    const it = await contribute(app.contributor, 'structures', { name: 'Gone' })
    sure(204, await app.contributor.delete(`/cidoc/structures/${it.id}/`))
    expect((await app.community.get(path(it))).status).toBe(404)
  })

  test('gives a new contribution with its values, history and contributor', async () => {
    const who = await publish(app, 'persons', { name: 'Earlier work' }, app.other)
    expect(who.id).toBeGreaterThan(0)
    const it = await contribute(app.other, 'structures', { name: 'Whole', description: 'd', condition: 'Good' })
    const body = await open(it)
    const other = expect.objectContaining({ username: 'other', email: '', first_name: expect.any(String) })
    const data = expect.objectContaining({ name: 'Whole', condition: 'Good', _cidoc_id: it.id })
    const revision = {
      revision_id: expect.any(String),
      revision_number: 1,
      entity: it.cultural_entity_id,
      data,
      created_by: other,
      created_at: expect.any(String),
    }
    expect(body).toMatchObject({
      entity_id: it.cultural_entity_id,
      name: 'Whole',
      description: 'd',
      category: 'monument',
      status: 'pending_review',
      contributor: other,
      current_revision: revision,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      revisions: [revision],
      activities: [{ activity_id: expect.any(String), activity_type: 'submitted', user: other, comment: '' }],
      review_decisions: [],
      flags: [],
      conflicts: [],
      contributor_stats: { total_contributions: 2, accepted_contributions: 1, acceptance_rate: 50 },
      required_persona: 'community_reviewer',
      lease: null,
      triage_priority: expect.any(Number),
      triage_breakdown: {
        age_norm: 0,
        flags_norm: 0,
        conflict_boost: 0,
        source_penalty: 1,
        days_in_review: 0,
        unresolved_flag_count: 0,
      },
      worst_source_tier: 'unknown',
      worst_source_type: null,
      is_fork: false,
      fork_context: null,
      root_entity: null,
      parent_entity: null,
      fork_depth: 0,
    })
    expect(body.difference).toEqual(
      [
        { field: 'name', label: 'Name', old: null, new: 'Whole', change: 'added', verdict: null },
        { field: 'condition', label: expect.any(String), old: null, new: 'Good', change: 'added', verdict: null },
        { field: 'description', label: 'Description', old: null, new: 'd', change: 'added', verdict: null },
      ].sort((a, b) => order(body.difference, a) - order(body.difference, b)),
    )
  })

  test('shows what an edit changes, field by field, with what the comparator says', async () => {
    const place = await publish(app, 'locations', { name: 'Old place' })
    const next = await publish(app, 'locations', { name: 'New place' })
    const it = await publish(app, 'structures', {
      name: 'Edited',
      construction_date: '1702~',
      condition: 'Good',
      note: 'old',
      description: 'stays',
      has_current_location: place.id,
    })
    await patch(app.contributor, it, {
      construction_date: '1702',
      condition: 'Ruinous',
      note: '',
      location_name: 'Here',
      has_current_location: next.id,
    })
    const { difference } = await open(it)
    const rows = difference.map((one: Record<string, unknown>) => [
      one.field,
      one.old,
      one.new,
      one.change,
      one.verdict,
    ])
    expect(rows.sort()).toEqual([
      ['condition', 'Good', 'Ruinous', 'changed', 'contradicts'],
      ['construction_date', '1702~', '1702', 'changed', 'refines'],
      ['has_current_location', 'Old place', 'New place', 'changed', 'contradicts'],
      ['location_name', null, 'Here', 'added', null],
      ['note', 'old', null, 'removed', null],
    ])
  })

  test('of a record of which nothing waits has no difference', async () => {
    const it = await publish(app, 'structures', { name: 'Settled', note: 'n' })
    const body = await open(it)
    expect([body.difference, body.conflicts, body.status]).toEqual([[], [], 'accepted'])
    expect(body.review_decisions).toMatchObject([
      { verdict: 'accept', reviewer: { username: 'curator' }, revision_reviewed: { revision_number: 1 } },
    ])
  })

  test('shows open flags only, with who raised them', async () => {
    const it = await publish(app, 'structures', { name: 'Flagged', condition: 'Good' })
    const body = { entity: it.cultural_entity_id, flag_type: 'questionable_source', reason: 'Hearsay.' }
    const flag = sure(201, await app.other.post('/data/review-flags/', { body }))
    await patch(app.staff, it, { condition: 'Poor' })
    const flags = (await open(it)).flags
    expect(flags).toMatchObject([
      { flag_type: 'contradiction', property: 'condition', flagged_by: { username: 'system' }, is_resolved: false },
      { id: flag.id, flag_type: 'questionable_source', reason: 'Hearsay.', flagged_by: { username: 'other' } },
    ])
    sure(200, await app.community.post(`/data/review-flags/${flag.id}/resolve/`))
    expect((await open(it)).flags).toHaveLength(1)
  })

  test('names the record that a contribution looks like', async () => {
    const first = await publish(app, 'deities', { name: 'Taleju Bhavani' })
    const twin = await contribute(app.other, 'deities', { name: 'Taleju Bhavani' })
    expect((await open(twin)).flags).toMatchObject([
      { flag_type: 'suspected_duplicate', other: { entity_id: first.cultural_entity_id, name: 'Taleju Bhavani' } },
    ])
    sure(204, await app.staff.delete(`/cidoc/deities/${first.id}/`))
    expect((await open(twin)).flags).toMatchObject([{ other: null, other_entity_id: null }])
    expect((await open(twin, app.staff)).flags).toMatchObject([{ other: { name: 'Taleju Bhavani' } }])
  })

  test('keeps the thread when what was sent back comes again', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Thread', condition: 'Good' })
    app.tick(1)
    sure(201, await decide(app.community, it, { verdict: 'request_changes', feedback: 'Which year?' }))
    app.tick(1)
    const revise = `/data/cultural-entities/${it.cultural_entity_id}/create_revision/`
    sure(201, await app.contributor.post(revise, { body: { data: { construction_date: '1702' } } }))
    const body = await open(it)
    expect(body.status).toBe('pending_revision')
    expect(body.revisions.map((one: { revision_number: number }) => one.revision_number)).toEqual([2, 1])
    expect(body.current_revision).toMatchObject({ revision_number: 2, data: { construction_date: '1702' } })
    expect(body.review_decisions).toMatchObject([{ verdict: 'request_changes', feedback: 'Which year?' }])
    expect(body.activities.map((one: { activity_type: string }) => one.activity_type)).toEqual([
      'revised',
      'changes_requested',
      'submitted',
    ])
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    expect((await app.anon.get(`/cidoc/structures/${it.id}/`)).body).toMatchObject({ construction_date: '1702' })
  })

  test('tells who has claimed the record', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Claimed' })
    sure(200, await app.domain.post(`/data/review-queue/${it.cultural_entity_id}/claim/`))
    expect((await open(it)).lease).toEqual({
      held_by: { id: expect.any(String), username: 'expert' },
      until: expect.any(String),
      is_mine: false,
    })
  })

  test('costs one query, and a batch read each for names and for doubts', async () => {
    const it = await publish(app, 'structures', { name: 'Costed', condition: 'Good', note: 'n' })
    for (const condition of ['Fair', 'Poor', 'Ruinous']) await patch(app.staff, it, { condition })
    await open(it)
    const seen = await commandsOf(() => open(it))
    const batch = 'BatchGetItemCommand'
    // The first to know the caller.
    expect(seen).toEqual([batch, 'QueryCommand', batch, batch, batch])
  })
})

const order = (rows: { field: string }[], one: { field: string }) => rows.findIndex((row) => row.field === one.field)

describe('a conflict in the workspace', () => {
  let made = 0
  const sourced = (source_type: string) => (source_type ? { assertion: { source_type, source_citation: 'c' } } : {})
  /** A published date or condition, and another that waits. */
  const conflicts = async (standing: object, rival: object) => {
    const it = await publish(app, 'structures', { name: `Conflicting ${++made}`, ...standing })
    await patch(app.staff, it, rival)
    return { it, found: (await open(it)).conflicts }
  }

  test('has both claims, the verdict, and how it is best settled', async () => {
    const { found } = await conflicts(
      { condition: 'Good', ...sourced('web') },
      { condition: 'Ruinous', ...sourced('field_survey') },
    )
    expect(found).toMatchObject([
      {
        property: 'condition',
        label: 'Condition',
        standing: { value: 'Good', source_type: 'web', reconciliation_status: 'accepted' },
        rival: { value: 'Ruinous', source_type: 'field_survey', reconciliation_status: 'pending' },
        verdict: 'contradicts',
        proposed_handling: 'supersedes',
        why: 'The values exclude each other, and the source of the new one knows better the present state.',
        flag: expect.any(String),
      },
    ])
  })

  test.each([
    ['existing_stands', 'contradicts', ['Good', 'archival'], ['Ruinous', 'web']],
    ['disputed', 'contradicts', ['Good', 'archival'], ['Ruinous', 'archival']],
  ] as const)('is best settled by %s where the sources say so', async (handling, verdict, [a, by], [b, from]) => {
    const { found } = await conflicts({ condition: a, ...sourced(by) }, { condition: b, ...sourced(from) })
    expect(found).toMatchObject([{ verdict, proposed_handling: handling }])
  })

  test.each([
    ['refines', 'refines', { construction_date: '1702~' }, { construction_date: '1702' }],
    ['coexist', 'compatible', { note: 'one' }, { note: 'two' }],
  ] as const)('that is none is best settled by %s and has no flag', async (handling, verdict, standing, rival) => {
    const { found } = await conflicts(standing, rival)
    expect(found).toMatchObject([{ verdict, proposed_handling: handling, flag: null }])
  })

  test('is not seen in a value that says the same', async () => {
    const { found } = await conflicts({ construction_date: '1702' }, { construction_date: '1702 CE' })
    expect(found).toEqual([])
  })

  test.each([
    ['supersedes', 'archival', 'archival', undefined],
    ['supersedes', 'book', 'field_survey', undefined],
    ['disputed', 'archival', 'book', undefined],
    // Both rest on the author's word, and then any source is better; who names none any more gives up a source.
    ['supersedes', '', '', undefined],
    ['supersedes', '', 'web', undefined],
    ['existing_stands', 'archival', '', undefined],
    ['disputed', '', '', 'Good'],
    // A value that another person gives as well is not its author's alone.
    ['disputed', 'archival', 'archival', 'Good'],
    ['supersedes', 'archival', 'archival', 'Fair'],
  ])('with oneself is best settled by %s (%s, then %s; others say %s)', async (handling, by, from, others) => {
    const it = await publish(app, 'structures', { name: `Own ${++made}`, condition: 'Good', ...sourced(by) })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'condition', value: others }
    if (others) sure(201, await app.other.post('/cidoc/assertions/', { body }))
    await patch(app.contributor, it, { condition: 'Ruinous', ...sourced(from) })
    const found = (await open(it)).conflicts.filter(
      (each: { standing: { contributed_by: string }; rival: { value: string } }) =>
        each.standing.contributed_by === 'dev' && each.rival.value === 'Ruinous',
    )
    expect(found).toMatchObject([{ verdict: 'contradicts', proposed_handling: handling }])
    if (handling === 'supersedes')
      expect(found[0].why).toBe('The author corrects their own value, by the same or a better source.')
  })

  test('that is a correction a community reviewer accepts, and it is told as one', async () => {
    const source = { assertion: { source_type: 'book', source_citation: 'Slusser 1982' } }
    const it = await publish(app, 'structures', { name: 'Corrected', construction_date: '1720', ...source })
    await patch(app.contributor, it, { construction_date: '1702', ...source })
    const found = await open(it, app.community)
    expect(found.flags).toEqual([])
    expect(found.conflicts).toMatchObject([{ proposed_handling: 'supersedes', flag: null }])
    expect(found.allowed_handlings).toEqual(['not_applicable', 'supersedes'])
    sure(201, await decide(app.community, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    const path = `/data/entities/${it.cultural_entity_id}`
    const explained = sure(200, await app.anon.get(`${path}/explain/`)).properties
    expect(explained.find((one: { property: string }) => one.property === 'construction_date')).toMatchObject({
      value: '1702',
      rule: 'corrected',
      why: 'Its author corrected the former value, which was theirs alone.',
    })
    const [latest] = sure(200, await app.anon.get(`${path}/history/`)).results
    expect(latest.changes).toMatchObject([{ field: 'construction_date', is_correction: true }])
  })

  test.each([
    ['by another person', 'book', 'other'],
    ['by a source that knows less', 'web', 'contributor'],
  ] as const)('%s is no correction', async (_, source_type, who) => {
    const source = { assertion: { source_type: 'book', source_citation: 'Slusser 1982' } }
    const it = await publish(app, 'structures', { name: `Kept ${++made}`, construction_date: '1720', ...source })
    if (who === 'contributor')
      await patch(app.contributor, it, { construction_date: '1702', assertion: { source_type } })
    else await patch(app.staff, it, { construction_date: '1702', ...source })
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(403)
  })

  test('is seen between two people before publication', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Before', condition: 'Good' })
    await patch(app.staff, it, { condition: 'Poor' })
    expect((await open(it)).conflicts).toMatchObject([
      { standing: { value: 'Good', contributed_by: 'dev' }, rival: { value: 'Poor', contributed_by: 'staff' } },
    ])
  })

  test('is gone once it is settled as proposed', async () => {
    const { it, found } = await conflicts(
      { condition: 'Good', ...sourced('web') },
      { condition: 'Ruinous', ...sourced('field_survey') },
    )
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: found[0].proposed_handling }))
    const body = await open(it)
    expect([body.conflicts, body.flags]).toEqual([[], []])
  })
})

describe('properties in the workspace', () => {
  test('each have their standing claim and its rivals, those that wait among them', async () => {
    const it = await publish(app, 'structures', { name: 'Propertied', condition: 'Good' })
    await patch(app.staff, it, { condition: 'Poor' })
    const found = (await open(it)).properties.find((one: { property: string }) => one.property === 'condition')
    expect(found).toMatchObject({
      value: 'Good',
      rule: 'accepted',
      standing: { value: 'Good', reconciliation_status: 'accepted' },
      rivals: [{ value: 'Poor', reconciliation_status: 'pending', verdict: 'contradicts', settled_by: null }],
    })
  })
})

describe('what a caller may choose', () => {
  const options = async (who: Persona, it: It) => {
    const { required_persona, allowed_verdicts, allowed_handlings, refusal } = await open(it, who)
    return { required_persona, allowed_verdicts, allowed_handlings, refusal }
  }
  const everything = ['accept', 'accept_with_edits', 'request_changes', 'reject', 'escalate']
  const settling = ['supersedes', 'coexist', 'existing_stands', 'refines', 'disputed']

  test('is every verdict where nothing is contested', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Uncontested' })
    expect(await options(app.community, it)).toEqual({
      required_persona: 'community_reviewer',
      allowed_verdicts: everything,
      allowed_handlings: ['not_applicable'],
      refusal: null,
    })
  })

  test('takes a domain expert where a contradiction is open, as a decision does', async () => {
    const it = await publish(app, 'structures', { name: 'Contested', construction_date: '1702' })
    await patch(app.staff, it, { construction_date: '1934' })
    const refusal = 'Settling a contradiction takes at least a domain expert.'
    expect(await options(app.community, it)).toEqual({
      required_persona: 'domain_expert',
      allowed_verdicts: ['request_changes', 'reject', 'escalate'],
      allowed_handlings: [],
      refusal,
    })
    const verdict = { verdict: 'accept', conflict_handling: 'supersedes' }
    const refused = await decide(app.community, it, verdict)
    expect([refused.status, refused.body]).toEqual([403, { detail: refusal }])
    expect(await options(app.domain, it)).toEqual({
      required_persona: 'domain_expert',
      allowed_verdicts: everything,
      allowed_handlings: settling,
      refusal: null,
    })
    sure(201, await decide(app.domain, it, verdict))
    expect(await options(app.domain, it)).toMatchObject({
      allowed_verdicts: [],
      allowed_handlings: [],
      refusal: 'Nothing waits for review here.',
    })
  })

  test('is nothing on a contribution of the own', async () => {
    const it = await contribute(app.community, 'structures', { name: 'Of the reviewer' })
    expect(await options(app.community, it)).toMatchObject({
      allowed_verdicts: [],
      refusal: 'Nobody decides on a contribution of their own.',
    })
  })

  test('comes with whose lease it is, and until when', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Leased' })
    sure(200, await app.community.post(`/data/review-queue/${it.cultural_entity_id}/claim/`))
    const lease = {
      held_by: { id: expect.any(String), username: 'reviewer' },
      until: expect.stringMatching(/^2025-01-15T/),
    }
    expect((await open(it)).lease).toEqual({ ...lease, is_mine: true })
    expect((await open(it, app.domain)).lease).toEqual({ ...lease, is_mine: false })
  })
})
