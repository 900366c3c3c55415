import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  // Signing in is a transaction, too: those who race have signed in before.
  for (const who of [app.domain, app.curator]) sure(200, await who.get('/api/user/info'))
})

const place = '/data/api/schema-extension-proposals/'
const yaml = (name: string) => `
classes:
  ${name}:
    slots: [beds, keeper]
    attributes:
      founded: {}
enums:
  ${name}Type:
    permissible_values: { stone: {}, wood: {} }
`
const drafted = async (proposed_yaml: string, who = app.contributor) =>
  sure(201, await who.post(place, { body: { title: 'Add it', description: '', proposed_yaml } }))
const step = (id: string, action: string, who: Persona, body?: object) => who.post(`${place}${id}/${action}/`, { body })
const submitted = async (name: string) => {
  const { id } = await drafted(yaml(name))
  sure(200, await step(id, 'submit', app.contributor))
  return id as string
}

describe('a proposal', () => {
  test('is drafted, changed, submitted and approved, and each step is told', async () => {
    const made = await drafted('classes: {}\n')
    expect(made).toMatchObject({ status: 'draft', author_username: 'dev', change_summary: { classes: [], enums: [] } })
    const changed = sure(
      200,
      await app.contributor.patch(`${place}${made.id}/`, { body: { proposed_yaml: yaml('Dharmashala') } }),
    )
    expect(changed.change_summary).toEqual({
      classes: [{ name: 'Dharmashala', slots: ['beds', 'keeper', 'founded'] }],
      enums: [{ name: 'DharmashalaType', values_sample: ['stone', 'wood'] }],
      top_level_keys: ['classes', 'enums'],
    })
    const { schema_version } = sure(200, await app.anon.get('/cidoc/schema/registry/'))
    expect(sure(200, await step(made.id, 'submit', app.contributor))).toMatchObject({
      status: 'submitted',
      base_schema_version: schema_version,
      conflict_keys: [
        'attr:Dharmashala.founded',
        'class:Dharmashala',
        'enum:DharmashalaType',
        'slot:Dharmashala.beds',
        'slot:Dharmashala.keeper',
      ],
    })
    expect((await app.contributor.patch(`${place}${made.id}/`, { body: { title: 'Late' } })).body).toEqual({
      detail: 'Only a draft is changed.',
    })
    expect((await step(made.id, 'publish', app.domain)).body).toEqual({
      detail: 'Only an approved proposal is published.',
    })
    expect(sure(200, await step(made.id, 'approve', app.domain, { comment: 'Good.' })).status).toBe('approved')
    const refused = await step(made.id, 'publish', app.domain)
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'Publishing takes a release for class Dharmashala, enum DharmashalaType: without one come values of open lists and optional fields of kinds that there are.',
    ])
    expect((await app.contributor.get(`${place}${made.id}/`)).body.status).toBe('approved')
    const steps = sure(200, await app.contributor.get(`${place}${made.id}/audit/`))
    expect(
      steps.map((it: Record<string, string>) => [
        it.action,
        it.from_status,
        it.to_status,
        it.comment,
        it.actor_username,
      ]),
    ).toEqual([
      ['submitted', 'draft', 'submitted', '', 'dev'],
      ['approved', 'submitted', 'approved', 'Good.', 'expert'],
    ])
  })

  test('that defines what another open one does is 409, until that one is over', async () => {
    const first = await submitted('Sattal')
    const { id } = await drafted(yaml('Sattal'), app.other)
    const late = await step(id, 'submit', app.other)
    expect([late.status, late.body.detail]).toEqual([409, 'Another open proposal defines attr:Sattal.founded already.'])
    sure(200, await step(first, 'withdraw', app.contributor))
    sure(200, await step(id, 'submit', app.other))
  })

  test('is decided on once, by one of two, and not by its author', async () => {
    const id = await submitted('Hiti')
    const replies = await atOnce([app.domain, app.curator].map((who) => () => step(id, 'approve', who, {})))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await step(id, 'reject', app.domain, { comment: 'No.' })).status).toBe(400)
    const own = await drafted(yaml('Chaitya'), app.domain)
    sure(200, await step(own.id, 'submit', app.domain))
    expect((await step(own.id, 'approve', app.domain, {})).body.detail).toBe(
      'Nobody decides on a contribution of their own.',
    )
    const silent = await step(own.id, 'reject', app.curator, { comment: '' })
    expect([silent.status, silent.body]).toEqual([400, { comment: ['Say why, so that the author can act on it.'] }])
    expect(sure(200, await step(own.id, 'reject', app.curator, { comment: 'Too early.' }))).toMatchObject({
      status: 'rejected',
      moderator_comment: 'Too early.',
    })
  })

  test('that is no YAML is kept as a draft, and not submitted; aliases are not taken', async () => {
    const broken = await drafted('classes: [')
    expect(broken.change_summary).toMatchObject({ error: 'invalid_yaml' })
    expect((await step(broken.id, 'submit', app.contributor)).body).toEqual({
      proposed_yaml: ['This is no YAML with a mapping at its root.'],
    })
    const bomb = await drafted('a: &a [x, x]\nb: [*a, *a]\n')
    expect(bomb.change_summary).toMatchObject({ error: 'invalid_yaml' })
    expect((await drafted('')).change_summary).toEqual({ classes: [], enums: [], notes: 'empty' })
    expect(
      (await app.contributor.post(place, { body: { title: 'Long', proposed_yaml: 'x'.repeat(65_537) } })).status,
    ).toBe(400)
  })

  test('is listed for its author, and all are for those who decide; a bare list', async () => {
    const { id } = await drafted('', app.other)
    const ids = async (who: Persona) => sure(200, await who.get(place)).map((it: { id: string }) => it.id)
    expect(await ids(app.other)).toContain(id)
    expect(await ids(app.contributor)).not.toContain(id)
    expect(await ids(app.domain)).toContain(id)
    expect((await app.contributor.get(`${place}${id}/`)).status).toBe(404)
    expect((await app.contributor.get(`${place}${id}/audit/`)).status).toBe(404)
  })
})

describe('publishing', () => {
  const approved = async (proposed_yaml: string) => {
    const { id } = await drafted(proposed_yaml)
    sure(200, await step(id, 'submit', app.contributor))
    sure(200, await step(id, 'approve', app.domain, {}))
    return id as string
  }
  const registry = async () => sure(200, await app.anon.get('/cidoc/schema/registry/'))
  const live = `
classes:
  ArchitecturalStructure:
    slots: [roof_count, existence_status]
    attributes:
      patron_house: { range: ArchitecturalStructure, description: Whose house paid for it }
      second_style: { range: ArchitecturalStyle }
slots:
  roof_count: { range: integer, title: Roofs }
enums:
  StructureTypeEnum:
    permissible_values:
      Hiti: { description: A spout in a wall }
`

  test('adds values of open lists and optional fields to registry, validation, search and exports, without a release', async () => {
    const before = await registry()
    const early = { name: 'Early', structure_type: 'Hiti' }
    expect((await app.contributor.post('/cidoc/structures/', { body: early })).status).toBe(400)
    const id = await approved(live)
    expect((await step(id, 'publish', app.contributor)).status).toBe(403)
    expect((await registry()).schema_version).toBe(before.schema_version)
    const made = sure(200, await step(id, 'publish', app.curator))
    expect(made).toMatchObject({ status: 'published', extension_hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const after = await registry()
    expect(after.schema_version).not.toBe(before.schema_version)
    expect(after.schema_version).toBe(made.schema_version)
    expect(made.published_schema_version).toBe(made.schema_version)
    const fields = after.classes.structure.fields.filter((it: { key: string }) =>
      ['roof_count', 'patron_house', 'second_style'].includes(it.key),
    )
    expect(fields).toMatchObject([
      { key: 'roof_count', label: 'Roofs', type: 'number', required: false },
      { key: 'patron_house', type: 'relation', relationEndpoint: '/cidoc/structures/' },
      { key: 'second_style', type: 'select', enum_range: 'ArchitecturalStyleEnum' },
    ])
    expect(after.enums.StructureTypeEnum).toContainEqual({
      value: 'Hiti',
      label: 'Hiti',
      description: 'A spout in a wall',
    })
    expect(after.registry_jsonschema.byClassKey.structure.properties).toHaveProperty('roof_count')

    const wrong = await app.contributor.post('/cidoc/structures/', { body: { name: 'Wrong', roof_count: 'three' } })
    expect([wrong.status, wrong.body]).toEqual([400, { roof_count: ['Not a valid number.'] }])
    const house = await publish(app, 'structures', { name: 'House of the patron' })
    const body = { name: 'Alko Hiti', structure_type: 'Hiti', roof_count: 3, patron_house: house.id }
    const temple = await publish(app, 'structures', body)
    await following.settled()
    expect(sure(200, await app.anon.get(`/cidoc/structures/${temple.id}/`))).toMatchObject({
      structure_type: 'Hiti',
      roof_count: 3,
      patron_house: { id: house.id, name: 'House of the patron' },
    })
    const found = sure(200, await app.anon.get('/data/search/', { query: { q: 'Alko', structure_type: 'Hiti' } }))
    expect(found.count).toBe(1)
    const table = await app.anon.get('/cidoc/structures/', { query: { format: 'csv', name: 'Alko Hiti' } })
    expect([table.status, table.bytes.toString()]).toEqual([200, expect.stringContaining('roof_count')])
    // Rivals of it are compared as numbers are.
    sure(200, await app.staff.patch(`/cidoc/structures/${temple.id}/`, { body: { roof_count: 5 } }))
    const { conflicts } = sure(200, await app.curator.get(`/data/review-workspace/${temple.cultural_entity_id}/`))
    expect(conflicts).toMatchObject([{ label: 'Roofs' }])
    sure(201, await decide(app.curator, temple, { verdict: 'accept', conflict_handling: 'supersedes' }))
    const steps = sure(200, await app.contributor.get(`${place}${id}/audit/`))
    expect(steps.at(-1)).toMatchObject({ action: 'published', schema_version_snapshot: made.schema_version })
  })

  test.each([
    ['classes: { RitualEvent: { attributes: { seal: { required: true } } } }', 'RitualEvent.seal'],
    ['classes: { Deity: { attributes: { status: {} } } }', 'Deity.status'],
    ['classes: { Festival: { attributes: { description: { range: integer } } } }', 'Festival.description'],
    ['classes: { Tradition: { is_a: Thing } }', 'class Tradition'],
    ['classes: { Person: { attributes: { weight: { range: float } } } }', 'Person.weight'],
    ['enums: { ConfidenceEnum: { permissible_values: [sure] } }', 'enum ConfidenceEnum'],
    ['enums: { GuthiTypeEnum: { permissible_values: ["no word"] } }', 'GuthiTypeEnum.no word'],
    ['types: { Weight: {} }', 'types'],
  ])('of %s takes a release', async (text, name) => {
    const id = await approved(text)
    const refused = await step(id, 'publish', app.curator)
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `Publishing takes a release for ${name}: without one come values of open lists and optional fields of kinds that there are.`,
    ])
    expect(sure(200, await app.contributor.get(`${place}${id}/`)).status).toBe('approved')
    sure(200, await app.anon.get('/cidoc/schema/registry/'))
  })

  test('is done once, by one of two; what is there already is nothing to publish', async () => {
    const id = await approved('enums: { RitualTypeEnum: { permissible_values: [Dapha] } }\n')
    const replies = await atOnce([app.domain, app.curator].map((who) => () => step(id, 'publish', who)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const again = await approved('enums: { RitualTypeEnum: { permissible_values: [Dapha] } }\n')
    await registry()
    expect((await step(again, 'publish', app.curator)).body).toEqual({
      detail: 'It defines nothing that is not there already.',
    })
  })
})
