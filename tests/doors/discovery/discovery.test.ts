import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona, type Sent } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { copies, everyState, publish, sure } from '../../harness/make.ts'

const DISCOVERY = '/cidoc/discovery/'
type Made = { id: number; cultural_entity_id: string }

let app: App
let following: Following
let jatra: Made
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  await everyState(app, 'festivals')
  app.tick(5)
  jatra = await publish(app, 'festivals', {
    name: 'Bisket Jatra',
    description: 'The new year of Bhaktapur.',
    location_name: 'Bhaktapur',
    route_description: 'From Taumadhi to Yosinkhel.',
  })
  await publish(app, 'deities', { name: 'Bhairava', religious_tradition: 'Hindu' })
  await publish(app, 'structures', { name: 'Bhairava Dyochhen' })
  await following.settled()
})

const discover = async (who: Persona, query: NonNullable<Sent['query']> = {}) =>
  sure(200, await who.get(DISCOVERY, { query }))
const names = ({ results }: { results: { name: string }[] }) => results.map((it) => it.name)

describe('discovery', () => {
  test('counts six types and shows one of them', async () => {
    expect(await discover(app.anon, { type: 'festivals', q: 'jatra' })).toEqual({
      q: 'jatra',
      type: 'festivals',
      counts: { monuments: 0, festivals: 1, deities: 0, persons: 0, guthis: 0, rituals: 0 },
      results: [
        {
          id: String(jatra.id),
          resource: 'festivals',
          type: 'Festival',
          name: 'Bisket Jatra',
          summary: 'The new year of Bhaktapur.',
          location_hint: 'Bhaktapur',
          cultural_entity_id: jatra.cultural_entity_id,
          status: 'accepted',
          is_published: true,
          has_media: false,
        },
      ],
    })
  })

  test('without a text shows everything of the type, the newest first; without a type of persons', async () => {
    expect(names(await discover(app.anon, { type: 'festivals' }))).toEqual(['Bisket Jatra', 'Sight published'])
    const body = await discover(app.anon)
    expect([body.q, body.type, body.counts]).toEqual([
      '',
      'persons',
      { monuments: 0, festivals: 2, deities: 1, persons: 0, guthis: 0, rituals: 0 },
    ])
    expect(names(body)).toEqual([])
  })

  test('counts every type for the text, whichever is shown', async () => {
    const { counts, results } = await discover(app.anon, { type: 'monuments', q: 'Bhairava' })
    expect([counts.deities, counts.monuments, results]).toEqual([1, 0, []])
  })

  test('shows what is published and nothing else, to its contributor and to staff too', async () => {
    expect(names(await discover(app.anon, { type: 'festivals', q: 'Sight' }))).toEqual(['Sight published'])
    for (const who of [app.other, app.contributor, app.staff])
      expect(names(await discover(who, { type: 'festivals', q: 'Sight' })).sort()).toEqual([
        'Sight published',
        'Sight restricted',
      ])
  })

  test('shows a hundred at most, and counts all; it costs nothing but the question whether anything has changed', async () => {
    await copies(await publish(app, 'rituals', { name: 'Nitya Puja' }), 130)
    await following.settled()
    const reply = await app.anon.get(DISCOVERY, { query: { type: 'rituals' } })
    expect([reply.body.counts.rituals, reply.body.results.length]).toEqual([131, 100])
    expect(reply.cost.calls).toBeLessThanOrEqual(1)
  })

  test('a type that there is not is refused by name', async () => {
    const { status, body } = await app.anon.get(DISCOVERY, { query: { type: 'temples' } })
    expect([status, body]).toEqual([
      400,
      { type: ['Not a valid choice. Choose one of: monuments, festivals, deities, persons, guthis, rituals.'] },
    ])
  })
})
