import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, flagsOf, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
let source: string
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  // Signing in is a transaction, too: those who race have signed in before.
  for (const who of [app.domain, app.curator]) sure(200, await who.get('/api/user/info'))
  source = sure(201, await app.other.post('/cidoc/data_sources/', { body: { name: 'Survey of 1975' } })).id
})

const THINGS = '/api/v1/data/entity-proposals/'
const RELATIONSHIPS = '/api/v1/data/relationship-proposals/'
const CLUSTERS = '/cidoc/entity-clusters/'
type Made = { id: number; cultural_entity_id: string }

let number = 0
const named = (what: string) => `${what} number ${++number}`
const anchor = ({ id }: Made, entity_type = 'architecturalstructure') => ({ entity_type, entity_id: id })
const drafted = async (body: object, who = app.contributor) =>
  sure(
    201,
    await who.post(THINGS, {
      body: { canonical_label: named('Mandap'), type_scope: 'architecturalstructure', ...body },
    }),
  )
const step = (place: string, id: string, action: string, who: Persona, body?: object) =>
  who.post(`${place}${id}/${action}/`, { body })
const submit = (id: string, who: Persona = app.contributor) => step(THINGS, id, 'submit', who)
const approve = (id: string, who: Persona = app.domain) => step(THINGS, id, 'approve', who, { comment: '' })
const reject = (id: string, who: Persona = app.domain) => step(THINGS, id, 'reject', who, { comment: 'Two things.' })
const temples = (count: number) =>
  Promise.all(Array.from({ length: count }, () => publish(app, 'structures', { name: named('Temple') })))
const membersOf = async (id: string, who: Persona = app.anon) =>
  sure(200, await who.get(`${CLUSTERS}${id}/members/`)).members
const submitted = async (records: readonly Made[], more: object = {}, who = app.contributor) => {
  const { id } = await drafted(
    { anchor_records: records.map((it) => anchor(it)), supporting_source_ids: [source], ...more },
    who,
  )
  sure(200, await submit(id, who))
  return id as string
}

describe('a proposal that records are one thing', () => {
  test('is drafted, changed, submitted and approved: three records become one, credited to the author', async () => {
    const [one, two, three] = (await temples(3)) as [Made, Made, Made]
    const made = await drafted({ anchor_records: [anchor(one), anchor(two)] })
    expect(made).toEqual({
      id: expect.any(String),
      author: expect.any(String),
      author_username: 'dev',
      status: 'draft',
      canonical_label: expect.stringMatching(/^Mandap/),
      aliases: [],
      type_scope: 'architecturalstructure',
      anchor_records: [anchor(one), anchor(two)],
      supporting_source_ids: [],
      contributor_note: '',
      external_identifiers: {},
      resolution_mode: 'new_cluster',
      existing_cluster: null,
      materialized_cluster: null,
      moderator_comment: '',
      submitted_at: null,
      resolved_at: null,
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
    })
    const changes = {
      anchor_records: [one, two, three].map((it) => anchor(it)),
      supporting_source_ids: [source],
      aliases: ['Mandapa'],
      external_identifiers: { wikidata: 'http://www.wikidata.org/entity/Q1' },
      contributor_note: 'One roof.',
    }
    expect(sure(200, await app.contributor.patch(`${THINGS}${made.id}/`, { body: changes }))).toMatchObject(changes)
    expect(sure(200, await submit(made.id)).status).toBe('submitted')
    const late = await app.contributor.patch(`${THINGS}${made.id}/`, { body: { aliases: [] } })
    expect([late.status, late.body]).toEqual([400, { detail: 'Only a draft is changed.' }])

    const done = sure(200, await approve(made.id))
    expect(done).toMatchObject({ status: 'approved', materialized_cluster: expect.any(String) })
    const cluster = sure(200, await app.anon.get(`${CLUSTERS}${done.materialized_cluster}/`))
    expect(cluster).toMatchObject({
      canonical_label: made.canonical_label,
      curated_aliases: ['Mandapa'],
      external_identifiers: { wikidata: 'http://www.wikidata.org/entity/Q1' },
      contributor: 'dev',
    })
    const members = await membersOf(cluster.id)
    expect(members.map((it: { entity_id: number }) => it.entity_id)).toEqual([one.id, two.id, three.id])
    const claim = sure(200, await app.anon.get(`/cidoc/assertions/${members[0].membership_assertion_id}/`))
    expect(claim).toMatchObject({
      asserted_property: 'identity.same_referent',
      asserted_value: cluster.id,
      reconciliation_status: 'accepted',
      contributed_by: 'dev',
      confidence: 'likely',
      justification_note: 'One roof.',
    })
    const query = { entity_type: 'architecturalstructure', entity_id: two.id }
    const summary = sure(200, await app.anon.get('/api/v1/cidoc/identity-summary/', { query }))
    expect(summary).toMatchObject({ competing: false, primary_cluster_id: cluster.id })
    const steps = sure(200, await app.contributor.get(`${THINGS}${made.id}/audit/`))
    expect(
      steps.map((it: Record<string, string>) => [it.action, it.from_status, it.to_status, it.actor_username]),
    ).toEqual([
      ['submitted', 'draft', 'submitted', 'dev'],
      ['approved', 'submitted', 'approved', 'expert'],
    ])
    await following.settled()
    const { results } = sure(200, await app.contributor.get('/data/api/notifications/'))
    expect(results.map((it: { message: string }) => it.message)).toContain(
      `Your proposal "${made.canonical_label}" was approved.`,
    )
  })

  test('the walk: one identity of three records is proposed, approved, read, and split again', async () => {
    const [one, two, three] = (await temples(3)) as [Made, Made, Made]
    const made = await drafted({
      anchor_records: [one, two, three].map((it) => anchor(it)),
      supporting_source_ids: [source],
    })
    sure(200, await submit(made.id))
    const { materialized_cluster } = sure(200, await approve(made.id))
    const summary = async ({ id }: Made) =>
      sure(
        200,
        await app.anon.get('/api/v1/cidoc/identity-summary/', {
          query: { entity_type: 'architecturalstructure', entity_id: id },
        }),
      )
    const { clusters } = await summary(two)
    expect(clusters[0].members.map((it: { entity_id: number }) => it.entity_id).sort()).toEqual(
      [one.id, two.id, three.id].sort(),
    )
    const { version } = sure(200, await app.curator.get(`${CLUSTERS}${materialized_cluster}/`))
    const groups = [[one.id, three.id], [two.id]]
    const split = { groups, reason: 'Another temple.', expected_version: version }
    const { new_cluster_ids } = sure(
      200,
      await app.curator.post(`${CLUSTERS}${materialized_cluster}/split/`, { body: split }),
    )
    expect(await summary(two)).toMatchObject({ competing: false, primary_cluster_id: new_cluster_ids[0] })
    expect((await summary(three)).primary_cluster_id).toBe(materialized_cluster)
  })

  test('without records makes one of its name, which waits for review', async () => {
    const { id, canonical_label } = await drafted({ contributor_note: 'Beside the pond.' })
    sure(200, await submit(id))
    const { materialized_cluster } = sure(200, await approve(id, app.staff))
    const [member] = await membersOf(materialized_cluster, app.contributor)
    expect(member).toMatchObject({ display_title: canonical_label })
    expect(await membersOf(materialized_cluster)).toEqual([])
    const record = sure(200, await app.contributor.get(`/cidoc/structures/${member.entity_id}/`))
    expect(record).toMatchObject({ description: 'Beside the pond.', status: 'pending_review', contributor: 'dev' })
  })

  test('extends a cluster that exists, and overwrites nothing in it', async () => {
    const [one, two] = (await temples(2)) as [Made, Made]
    const body = {
      canonical_label: 'Old name',
      type_scope: 'structure',
      external_identifiers: { wikidata: 'Q1' },
      members: [{ entity_type: 'structure', entity_id: one.id }],
    }
    const cluster = sure(201, await app.curator.post(CLUSTERS, { body }))
    const draft = { type_scope: 'architecturalstructure', resolution_mode: 'link_existing' }
    const unnamed = await app.contributor.post(THINGS, { body: { canonical_label: 'New name', ...draft } })
    expect([unnamed.status, unnamed.body]).toEqual([
      400,
      { existing_cluster: ['Name the cluster that is to be extended.'] },
    ])
    const more = {
      ...draft,
      existing_cluster: cluster.id,
      canonical_label: 'New name',
      external_identifiers: { wikidata: 'Q2', geonames: '7' },
    }
    const id = await submitted([two], more)
    expect(sure(200, await approve(id)).materialized_cluster).toBe(cluster.id)
    expect(sure(200, await app.anon.get(`${CLUSTERS}${cluster.id}/`))).toMatchObject({
      canonical_label: 'Old name',
      curated_aliases: ['New name'],
      external_identifiers: { wikidata: 'Q1', geonames: '7' },
    })
    expect(await membersOf(cluster.id)).toHaveLength(2)
    sure(200, await app.curator.post(`${CLUSTERS}${cluster.id}/lock/`, { body: { reason: 'Settled.' } }))
    const [three] = (await temples(1)) as [Made]
    const locked = await submitted([three], { ...more, canonical_label: 'Third' })
    expect((await approve(locked)).body).toEqual({ detail: 'A cluster of these records is locked.' })
    expect((await app.contributor.get(`${THINGS}${locked}/`)).body.status).toBe('submitted')
  })

  test('is refused with an error of each member that names nothing', async () => {
    const [one] = (await temples(1)) as [Made]
    const person = await publish(app, 'persons', { name: named('Arniko') })
    const nobody = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
    const { id } = await drafted({
      type_scope: 'temple',
      anchor_records: [anchor(one), anchor(one), { entity_type: 'tempel', entity_id: 1 }],
      supporting_source_ids: [nobody],
      resolution_mode: 'link_existing',
      existing_cluster: nobody,
    })
    const wrong = await submit(id)
    expect([wrong.status, wrong.body]).toEqual([
      400,
      {
        type_scope: [expect.stringMatching(/^Not a valid choice\. Choose one of: person, /)],
        'anchor_records[1]': ['This record is named twice.'],
        'anchor_records[2].entity_type': ['There is no kind of this name.'],
        'supporting_source_ids[0]': ['There is no source with this id.'],
        existing_cluster: ['There is no cluster with this id.'],
      },
    ])
    const other = await drafted({ anchor_records: [anchor(one), anchor(person, 'person')] })
    expect((await submit(other.id)).body).toEqual({
      'anchor_records[1].entity_type': ['It is of another kind than the proposal.'],
      supporting_source_ids: ['Name at least one source which says that these records are one thing.'],
    })
    for (const [body, fault] of [
      [{ type_scope: 'structure' }, { canonical_label: ['This field is required.'] }],
      [
        { canonical_label: 'X', type_scope: 'structure', anchor_records: Array(11).fill(anchor(one)) },
        { anchor_records: ['Give no more than 10 of them.'] },
      ],
      [
        {
          canonical_label: 'X',
          type_scope: 'structure',
          anchor_records: [{ entity_type: 'structure', entity_id: 1.5 }],
        },
        { anchor_records: { 0: { entity_id: ['Give a list of {entity_type, entity_id}.'] } } },
      ],
    ] as const)
      expect((await app.contributor.post(THINGS, { body })).body).toEqual(fault)
  })

  test('answers a hidden record as an unknown one, when it is submitted and when it is approved', async () => {
    const hidden = await contribute(app.other, 'structures', { name: named('Hidden') })
    const [one] = (await temples(1)) as [Made]
    const probe = async (entity_id: number) => {
      const records = [anchor(one), { entity_type: 'structure', entity_id }]
      const { id } = await drafted({ anchor_records: records, supporting_source_ids: [source] })
      const { status, body } = await submit(id)
      return { status, body }
    }
    const unknown = await probe(hidden.id + 5000)
    expect(await probe(hidden.id)).toEqual(unknown)
    expect(unknown.body).toEqual({ 'anchor_records[1].entity_id': ['There is no record with this id.'] })
    const [two, three] = (await temples(2)) as [Made, Made]
    const id = await submitted([two, three])
    sure(204, await app.staff.delete(`/cidoc/structures/${three.id}/`))
    expect(await approve(id)).toMatchObject({ status: 400, body: unknown.body })
    expect((await app.contributor.get(`${THINGS}${id}/`)).body).toMatchObject({ status: 'submitted' })
  })

  test('is decided on once, by one of two, and not by its author', async () => {
    const id = await submitted((await temples(2)) as Made[])
    const replies = await atOnce([app.domain, app.curator].map((who) => () => approve(id, who)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await reject(id)).body).toEqual({ detail: 'A proposal that is approved cannot be rejected.' })
    const own = await submitted((await temples(2)) as Made[], {}, app.domain)
    expect((await approve(own)).body).toEqual({ detail: 'Nobody decides on a contribution of their own.' })
    const silent = await step(THINGS, own, 'reject', app.curator, { comment: '' })
    expect([silent.status, silent.body]).toEqual([400, { comment: ['Say why, so that the author can act on it.'] }])
    expect(sure(200, await reject(own, app.curator))).toMatchObject({
      status: 'rejected',
      moderator_comment: 'Two things.',
      materialized_cluster: null,
    })
  })

  test('that was refused is not proposed again, nor with more records; one that waits is not proposed twice', async () => {
    const [one, two, three] = (await temples(3)) as [Made, Made, Made]
    const first = await submitted([one, two])
    const again = async (records: Made[], who = app.other) => {
      const anchors = { anchor_records: records.map((it) => anchor(it)), supporting_source_ids: [source] }
      const { id } = await drafted(anchors, who)
      return submit(id, who)
    }
    const waits = 'The same is proposed already, and waits for a decision.'
    const refused = 'The same was proposed before, and refused.'
    expect(await again([two, one])).toMatchObject({ status: 409, body: { detail: waits } })
    sure(200, await step(THINGS, first, 'withdraw', app.contributor))
    const second = await submitted([two, one])
    sure(200, await reject(second))
    expect(await again([one, two])).toMatchObject({ status: 409, body: { detail: refused } })
    expect(await again([three, two, one])).toMatchObject({ status: 409, body: { detail: refused } })
    sure(200, await again([one, three]))
  })

  test('heeds what reviewers said of a pair, answers open questions, and names records of other clusters', async () => {
    const twin = { name: 'Bhimsen Dyochhen', coordinates: '27.67, 85.32' }
    const [left, right] = [await publish(app, 'structures', twin), await publish(app, 'structures', twin)] as [
      Made,
      Made,
    ]
    await following.settled()
    const candidate = async () =>
      sure(200, await app.community.get('/cidoc/identity-candidates/')).results.find(
        (it: { right: { entity_id: number }; left: { entity_id: number } }) =>
          [it.left.entity_id, it.right.entity_id].includes(right.id),
      )
    expect((await candidate()).status).toBe('open')
    const { materialized_cluster } = sure(200, await approve(await submitted([left, right])))
    expect((await candidate()).status).toBe('accepted')
    const open = [...(await flagsOf(left)), ...(await flagsOf(right))].filter((it) => !it.is_resolved)
    expect(open).toEqual([])

    const [third] = (await temples(1)) as [Made]
    const { id } = await drafted({ anchor_records: [anchor(left), anchor(third)], supporting_source_ids: [source] })
    expect(await submit(id)).toMatchObject({
      status: 409,
      body: {
        detail: 'Some of these records are in another cluster.',
        conflicts: [{ entity_type: 'structure', entity_id: left.id, cluster_id: materialized_cluster }],
      },
    })

    const two = { name: 'Narayan Dyochhen', coordinates: '27.68, 85.33' }
    const [a, b] = [await publish(app, 'structures', two), await publish(app, 'structures', two)] as [Made, Made]
    await following.settled()
    const [asked] = sure(200, await app.community.get('/cidoc/identity-candidates/?status=open')).results
    sure(
      200,
      await app.community.post(`/cidoc/identity-candidates/${asked.id}/resolve/`, { body: { resolution: 'reject' } }),
    )
    const draft = await drafted({ anchor_records: [anchor(a), anchor(b)], supporting_source_ids: [source] })
    expect(await submit(draft.id)).toMatchObject({
      status: 409,
      body: { detail: 'A reviewer has held two of these records to be different things.' },
    })
  })

  test('is listed for its author, and all are for those who decide; a bare list, with those that have waited longest', async () => {
    const id = await submitted((await temples(2)) as Made[], {}, app.other)
    const ids = async (who: Persona, query = {}) => {
      const rows = sure(200, await who.get(THINGS, { query }))
      return rows.map((it: { id: string }) => it.id)
    }
    expect(await ids(app.other)).toContain(id)
    expect(await ids(app.other, { status: 'draft' })).not.toContain(id)
    expect(await ids(app.contributor)).not.toContain(id)
    app.tick(60)
    for (let n = 0; n < 101; n += 1) await drafted({}, app.other)
    expect(await ids(app.other)).not.toContain(id)
    expect(await ids(app.domain)).toContain(id)
    expect(await ids(app.domain, { status: 'submitted' })).toContain(id)
    expect((await app.contributor.get(`${THINGS}${id}/`)).status).toBe(404)
    expect((await app.contributor.get(`${RELATIONSHIPS}${id}/`)).status).toBe(404)
    expect((await app.other.get(`${RELATIONSHIPS}${id}/`)).status).toBe(404)
    const { calls, units } = (await app.domain.get(THINGS)).cost
    expect(calls).toBeLessThanOrEqual(4)
    expect(units).toBeLessThan(30)
  })

  test('a machine drafts and submits one, and decides on none', async () => {
    const asked = { name: 'Bot', scopes: ['read', 'propose'] }
    const machine = app.as(sure(201, await app.other.post('/api/user/keys/', { body: asked })).token)
    const records = (await temples(2)) as Made[]
    const id = await submitted(records, {}, machine)
    expect((await approve(id, machine)).status).toBe(403)
    const { materialized_cluster } = sure(200, await approve(id))
    const [{ membership_assertion_id }] = await membersOf(materialized_cluster)
    expect(sure(200, await app.anon.get(`/cidoc/assertions/${membership_assertion_id}/`)).software).toBe('Bot')
  })
})

describe('a proposal of a relationship', () => {
  const draft = async (subject: Made, object: Made, more: object = {}, who = app.contributor) =>
    sure(
      201,
      await who.post(RELATIONSHIPS, {
        body: {
          predicate: 'commissioned_by',
          ...{ subject_entity_type: 'architecturalstructure', subject_entity_id: subject.id },
          ...{ object_entity_type: 'person', object_entity_id: object.id },
          primary_source: '',
          supporting_source_ids: [],
          ...more,
        },
      }),
    )
  const ends = async () =>
    [
      await publish(app, 'structures', { name: named('Temple') }),
      await publish(app, 'persons', { name: named('King') }),
    ] as [Made, Made]
  const go = (id: string, action: string, who = app.contributor, body?: object) =>
    step(RELATIONSHIPS, id, action, who, body)

  test('is drafted with anything, corrected, submitted and approved: a claim with provenance', async () => {
    const [temple, king] = await ends()
    const nothing = '11111111-1111-4111-8111-111111111111'
    const made = await draft(temple, king, {
      predicate: nothing,
      primary_source: nothing,
      temporal_scope_edtf: 'one day',
    })
    expect(made).toMatchObject({ predicate: nothing, predicate_code: '', predicate_label: '', confidence: 'likely' })
    expect((await go(made.id, 'submit')).body).toEqual({
      predicate: ['There is no such relationship.'],
      primary_source: ['There is no source with this id.'],
      temporal_scope_edtf: [expect.stringMatching(/^This cannot be read as a date/)],
    })
    const changes = {
      predicate: 'commissioned_by',
      primary_source: source,
      temporal_scope_edtf: '1702/1703',
      confidence: 'certain',
      interpretation_note: 'The inscription names him.',
    }
    expect(sure(200, await app.contributor.patch(`${RELATIONSHIPS}${made.id}/`, { body: changes }))).toMatchObject({
      ...changes,
      predicate_code: 'commissioned_by',
      predicate_label: 'was commissioned by',
      predicate_inverse_label: 'commissioned',
      subject_entity_id: temple.id,
    })
    sure(200, await go(made.id, 'submit'))
    const done = sure(200, await go(made.id, 'approve', app.domain, { comment: '' }))
    const claim = sure(200, await app.anon.get(`/cidoc/assertions/${done.materialized_assertion}/`))
    expect(claim).toMatchObject({
      asserted_property: 'relationship.commissioned_by',
      assertion_content: 'The inscription names him.',
      temporal_scope_edtf: '1702/1703',
      confidence: 'certain',
      reconciliation_status: 'accepted',
      contributed_by: 'dev',
      object_entity_type: 'person',
      object_entity_id: king.id,
    })
    await following.settled()
    const related = sure(200, await app.anon.get('/cidoc/related/', { query: { domain: 'structure', id: temple.id } }))
    expect(related.total_related).toBe(1)
    const again = await draft(temple, king, {}, app.other)
    expect((await go(again.id, 'submit', app.other)).body).toEqual({ detail: 'This relationship is accepted already.' })
  })

  test('is refused with an error of each end, and a hidden record is an unknown one', async () => {
    const [temple, king] = await ends()
    const hidden = await contribute(app.other, 'persons', { name: named('Hidden') })
    const answer = async (object: Pick<Made, 'id'>) => {
      const { id } = await draft(temple, object as Made)
      const { status, body } = await go(id, 'submit')
      return { status, body }
    }
    const unknown = await answer({ id: king.id + 5000 })
    expect(unknown).toEqual({ status: 400, body: { object_entity_id: ['There is no record with this id.'] } })
    expect(await answer(hidden)).toEqual(unknown)
    const same = { object_entity_type: 'structure', object_entity_id: temple.id, subject_entity_type: 'structure' }
    expect((await go((await draft(temple, king, same)).id, 'submit')).body).toEqual({
      object_entity_id: ['It is the same record.'],
    })
    expect((await go((await draft(temple, king, { subject_entity_type: 'x' })).id, 'submit')).body).toEqual({
      subject_entity_type: [expect.stringMatching(/^There is no kind of this name./)],
    })
  })

  test('is listed, withdrawn and told step by step; withdrawn, it may be proposed again', async () => {
    const [temple, king] = await ends()
    const { id } = await draft(temple, king)
    sure(200, await go(id, 'submit'))
    expect(sure(200, await go(id, 'withdraw')).status).toBe('withdrawn')
    expect((await go(id, 'withdraw')).body).toEqual({ detail: 'A proposal that is withdrawn cannot be withdrawn.' })
    expect(sure(200, await app.domain.get(RELATIONSHIPS))).toContainEqual(
      expect.objectContaining({ id, author_username: 'dev' }),
    )
    const steps = sure(200, await app.contributor.get(`${RELATIONSHIPS}${id}/audit/`))
    expect(steps.map((it: { action: string }) => it.action)).toEqual(['submitted', 'withdrawn'])
    sure(200, await go((await draft(temple, king)).id, 'submit'))
  })

  test('of a record that is not published waits for that', async () => {
    const king = (await ends())[1]
    const temple = await contribute(app.contributor, 'structures', { name: named('Pending') })
    const { id } = await draft(temple, king)
    sure(200, await go(id, 'submit'))
    expect(await go(id, 'approve', app.domain, { comment: '' })).toMatchObject({
      status: 409,
      body: { detail: 'Its record is not published: that is decided first.' },
    })
    expect((await app.contributor.get(`${RELATIONSHIPS}${id}/`)).body.status).toBe('submitted')
  })

  test('is decided on once, not by its author, and once refused never proposed again, from either side', async () => {
    const [one, two] = (await temples(2)) as [Made, Made]
    const near = {
      predicate: 'near',
      ...{ subject_entity_type: 'structure', object_entity_type: 'structure' },
    }
    const first = await draft(one, two, near, app.domain)
    sure(200, await go(first.id, 'submit', app.domain))
    expect((await go(first.id, 'approve', app.domain, {})).body).toEqual({
      detail: 'Nobody decides on a contribution of their own.',
    })
    const twice = await draft(two, one, near)
    expect((await go(twice.id, 'submit')).body).toEqual({
      detail: 'The same is proposed already, and waits for a decision.',
    })
    const replies = await atOnce([
      () => go(first.id, 'reject', app.curator, { comment: 'A river lies between.' }),
      () => go(first.id, 'reject', app.staff, { comment: 'No.' }),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await go(twice.id, 'submit')).toMatchObject({
      status: 409,
      body: { detail: 'The same was proposed before, and refused.' },
    })
  })

  test('that reads alike from both ends is accepted once, from either side; another may stand both ways', async () => {
    const [one, two] = (await temples(2)) as [Made, Made]
    const both = { subject_entity_type: 'structure', object_entity_type: 'structure' }
    const accepted = async (subject: Made, object: Made, predicate: string) => {
      const { id } = await draft(subject, object, { ...both, predicate })
      const { status } = await go(id, 'submit')
      return status === 200 ? (await go(id, 'approve', app.domain, { comment: '' })).status : status
    }
    expect(await accepted(one, two, 'near')).toBe(200)
    expect(await accepted(two, one, 'near')).toBe(409)
    expect(await accepted(one, two, 'preceded_by')).toBe(200)
    expect(await accepted(two, one, 'preceded_by')).toBe(200)
  })

  test('a repeated request with one key makes one draft', async () => {
    const [temple, king] = await ends()
    const headers = { 'idempotency-key': '5d0e9a51-0c7d-4a5e-8f10-8b8b4b9e3c5f' }
    const body = {
      predicate: 'near',
      ...{ subject_entity_type: 'structure', subject_entity_id: temple.id },
      ...{ object_entity_type: 'person', object_entity_id: king.id },
    }
    const [one, two] = [
      await app.contributor.post(RELATIONSHIPS, { body, headers }),
      await app.contributor.post(RELATIONSHIPS, { body, headers }),
    ]
    expect([two?.status, two?.body.id]).toEqual([201, one?.body.id])
  })
})
