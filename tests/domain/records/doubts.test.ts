import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { contribute, flagsOf, publish } from '../../harness/make.ts'

let app: App
let place: { id: number }
beforeAll(async () => {
  app = await openApp()
  place = await publish(app, 'locations', { name: 'Bhaktapur Durbar Square', coordinates: '27.6721, 85.4283' })
})

const SWAPPED = 'Latitude and longitude seem to be swapped: the latitude goes first.'
const UNREAD = 'This cannot be read as a date; write it like 1702, 1702~, 1200/1300, 1934-01-15, BS 1759 or NS 822.'
let names = 0
const send = (more: object) =>
  contribute(app.contributor, 'structures', { name: `Doubted ${crypto.randomUUID()} ${++names}`, ...more })

describe('a doubtful value is taken, warned of and flagged:', () => {
  test.each([
    ['coordinates that are swapped', { coordinates: '85.4283, 27.6721' }, 'coordinates', SWAPPED],
    ['the same as two members', { latitude: 85.4283, longitude: 27.6721 }, 'coordinates', SWAPPED],
    ['a date in no words for one', { construction_date: 'the day before' }, 'construction_date', UNREAD],
    [
      'a day that no month has',
      { construction_date: '1934-02-31' },
      'construction_date',
      'There is no day 31 in February 1934, which has 28 days.',
    ],
    [
      'a day that no month of Bikram Sambat has',
      { construction_date: '32 Ashadh', calendar_system: 'bikram_sambat' },
      'construction_date',
      UNREAD,
    ],
    [
      'the same with its year',
      { construction_date: '2081-03-32', calendar_system: 'bikram_sambat' },
      'construction_date',
      'There is no day 32 in Ashadh of BS 2081, which has 31 days.',
    ],
  ])('%s', async (_, more, property, message) => {
    const made = await send(more)
    expect(made.warnings).toEqual([{ member: property, message }])
    expect(made.status).toBe('pending_review')
    expect(await flagsOf(made)).toMatchObject([
      { flag_type: 'low_confidence', property, flagged_by: null, reason: expect.stringContaining(message) },
    ])
  })

  test.each([
    ['swapped beside its place', '85.4283, 27.6721', SWAPPED],
    ['far from its place', '28.2096, 83.9856', 'This is 154 km from the place that the record names.'],
  ])('coordinates %s', async (_, coordinates, message) => {
    const made = await send({ coordinates, has_current_location: place.id })
    expect(made.warnings).toEqual([{ member: 'coordinates', message }])
  })

  test('coordinates far from a place that is guarded say how far it is from what everyone knows', async () => {
    const guarded = { access_tier: 'sensitive_indigenous', coordinates: '27.6421, 85.4483' }
    const { id } = await publish(app, 'locations', { name: 'Guarded square', ...guarded })
    const told = async (who: 'contributor' | 'other') => {
      const body = { name: `Far ${who}`, coordinates: '28.2096, 83.9856', has_current_location: id }
      return (await contribute(app[who], 'structures', body)).warnings[0].message
    }
    expect([await told('contributor'), await told('other')]).toEqual(
      [157, 155].map((km) => `This is ${km} km from the place that the record names.`),
    )
  })

  test('on a change, of what it changes', async () => {
    const made = await send({ construction_date: 'the day before' })
    const path = `/cidoc/structures/${made.id}/`
    const other = await app.contributor.patch(path, { body: { note: 'More.' } })
    expect(other.body).not.toHaveProperty('warnings')
    const next = await app.contributor.patch(path, { body: { coordinates: '85.4283, 27.6721' } })
    expect(next.body.warnings).toEqual([{ member: 'coordinates', message: SWAPPED }])
    expect((await flagsOf(made)).map((it) => it.property).sort()).toEqual(['construction_date', 'coordinates'])
  })

  test('and a strict client is not refused for it', async () => {
    const body = { name: 'Strictly doubted', coordinates: '85.4283, 27.6721' }
    const made = await app.contributor.post('/cidoc/structures/', { body, headers: { prefer: 'handling=strict' } })
    expect([made.status, made.body.warnings]).toEqual([201, [{ member: 'coordinates', message: SWAPPED }]])
  })
})

describe('nothing is said of', () => {
  test.each([
    ['a point in Nepal', { coordinates: '27.6721, 85.4283' }],
    ['a point elsewhere', { coordinates: '51.5194, -0.1270' }],
    ['a point that would be in Nepal were it its mirror image', { coordinates: '-27.6721, 85.4283' }],
    ['a date in words', { construction_date: 'c. 5th century CE' }],
    ['a year of another calendar', { construction_date: 'BS 1758' }],
    ['a year as a number', { construction_date: 1702 }],
  ])('%s', async (_, more) => {
    const made = await send(more)
    expect(made).not.toHaveProperty('warnings')
    expect(await flagsOf(made)).toEqual([])
  })

  test('a point near its place', async () => {
    expect(await send({ coordinates: '27.70, 85.40', has_current_location: place.id })).not.toHaveProperty('warnings')
  })

  test('a place that the contributor may not see', async () => {
    const hidden = await contribute(app.other, 'locations', { name: 'Hidden place', coordinates: '27.6721, 85.4283' })
    const made = await send({ coordinates: '28.2096, 83.9856', has_current_location: 'Hidden place' })
    expect(hidden.id).toBeGreaterThan(0)
    expect(made).not.toHaveProperty('warnings')
  })
})
