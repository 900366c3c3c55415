import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, flagsOf, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const NO_DATE = 'This cannot be read as a date; write it like 1702, 1702~, 1200/1300, 1934-01-15, BS 1759 or NS 822.'

describe('a client converts a date', () => {
  const convert = (query: Record<string, string>) => app.anon.get('/data/calendars/convert/', { query })

  test('into every calendar', async () => {
    expect(sure(200, await convert({ date: 'BS 1990 Magh 2' }))).toEqual({
      words: 'BS 1990 Magh 2',
      understood: {
        ...{ calendar: 'bikram_sambat', from: '1990-10-02', to: '1990-10-02', approximate: false },
        text: 'BS 1990 Magh 2',
      },
      shown: {
        gregorian: {
          ...{ calendar: 'gregorian', from: '1934-01-15', to: '1934-01-15', approximate: false },
          text: '15 January 1934',
        },
        julian: {
          ...{ calendar: 'julian', from: '1934-01-02', to: '1934-01-02', approximate: false },
          text: '2 January 1934 Julian',
        },
        bikram_sambat: {
          ...{ calendar: 'bikram_sambat', from: '1990-10-02', to: '1990-10-02', approximate: false },
          text: 'BS 1990 Magh 2',
        },
        nepal_sambat: {
          ...{ calendar: 'nepal_sambat', from: '1054-03-30', to: '1054-03-30', approximate: false },
          text: 'NS 1054 Pohela ga 15',
        },
        shaka: { calendar: 'shaka', from: '1855', to: '1855', approximate: false, text: 'Shaka 1855' },
      },
    })
  })

  test('into one, of a span, in a calendar that bare numbers are meant in', async () => {
    const { shown } = sure(200, await convert({ date: '2031/2033', from: 'bs', to: 'gregorian' }))
    expect(shown).toEqual({
      gregorian: {
        ...{ calendar: 'gregorian', from: '1974-04-14', to: '1977-04-12', approximate: false },
        text: '1974/1977',
      },
    })
  })

  test('and caches may keep the answer', async () => {
    const reply = await convert({ date: '1702~' })
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'public, max-age=86400'])
    expect(reply.body.understood).toMatchObject({ approximate: true, text: 'c. 1702' })
  })

  test.each([
    [{}, { date: ['This parameter is required.'] }],
    [{ date: ' ' }, { date: ['This parameter is required.'] }],
    [{ date: '30 February 1990' }, { date: ['There is no day 30 in February 1990, which has 28 days.'] }],
    [{ date: '३२ असार २०८१' }, { date: ['There is no day 32 in Ashadh of BS 2081, which has 31 days.'] }],
    [{ date: '2081-03-32', from: 'bs' }, { date: ['There is no day 32 in Ashadh of BS 2081, which has 31 days.'] }],
    [{ date: 'NS 1145-13-01' }, { date: ['There is no month 13: a year has 12.'] }],
    [{ date: '1300/1200' }, { date: [NO_DATE] }],
    [{ date: 'x'.repeat(201) }, { date: ['At most 200 characters are read.'] }],
    [
      { date: '1702', to: 'mayan' },
      { to: ['Not a valid choice. Choose one of: gregorian, julian, bikram_sambat, nepal_sambat, shaka, bs, ns.'] },
    ],
  ])('%j is refused', async (query, fields) => {
    const reply = await convert(query)
    expect([reply.status, reply.body]).toEqual([400, fields])
  })
})

describe('a form is told what was understood', () => {
  const typed = (body: object) => app.contributor.post('/cidoc/assist/read-date/', { body })

  test('as a Nepali reader types it', async () => {
    const body = sure(200, await typed({ text: '२०७२ वैशाख १२ गते' }))
    expect(body).toMatchObject({ understood: true, message: null, period: null })
    expect(body.date.shown.gregorian.text).toBe('25 April 2015')
  })

  test('bare numbers in the calendar of the form', async () => {
    const body = sure(200, await typed({ text: '2072-01-12', calendar: 'bikram_sambat' }))
    expect(body.date.shown.gregorian.from).toBe('2015-04-25')
  })

  test.each([
    ['a date that no calendar has', '32 Ashadh 2081', 'There is no day 32 in Ashadh of BS 2081, which has 31 days.'],
    ['no date', 'long ago', NO_DATE],
  ])('and why it was not: %s', async (_, text, message) => {
    expect(sure(200, await typed({ text }))).toEqual({ understood: false, message, period: null, date: null })
  })

  test('words that name a period mean its bounds, where the asker may see it', async () => {
    const body = { name: 'Reign of Pratap Malla', start_year: '1641', end_year: 'NS 794' }
    const period = await publish(app, 'historical_periods', body)
    const read = sure(200, await typed({ text: 'during the reign of Pratap Malla' }))
    expect(read.period).toEqual({
      id: period.id,
      name: 'Reign of Pratap Malla',
      cultural_entity_id: period.cultural_entity_id,
    })
    expect(read.date.shown.gregorian).toMatchObject({ from: '1641-01-01', text: '1641/1674' })

    await contribute(app.contributor, 'historical_periods', { ...body, name: 'Reign that waits' })
    const gone = await publish(app, 'historical_periods', { ...body, name: 'Reign that is gone' })
    sure(204, await app.staff.delete(`/cidoc/historical_periods/${gone.id}/`))
    const nothing = { understood: false, message: NO_DATE, period: null, date: null }
    for (const text of ['Reign that waits', 'Reign that is gone'])
      expect(sure(200, await app.other.post('/cidoc/assist/read-date/', { body: { text } }))).toEqual(nothing)
  })

  test('who is not signed in may not ask, and a text must be one', async () => {
    expect((await app.anon.post('/cidoc/assist/read-date/', { body: { text: '1702' } })).status).toBe(401)
    expect((await typed({ text: 7 })).body).toEqual({ text: ['Not a valid text.'] })
    expect((await typed({ text: '1702', calendar: 'mayan' })).status).toBe(400)
  })
})

describe('a record shows its dates', () => {
  test('in the calendar that is asked for, beside their words', async () => {
    const body = { name: 'Dated temple', construction_date: 'c. 1702 CE', last_known_existence_date: 'before the war' }
    const made = await publish(app, 'structures', body)
    const at = `/cidoc/structures/${made.id}/`
    const dates = {
      construction_date: {
        ...{ words: 'c. 1702 CE', calendar: 'bikram_sambat', from: '1758-09-22', to: '1759-09-21' },
        ...{ approximate: true, text: 'c. BS 1758/1759' },
      },
    }
    const shown = sure(200, await app.anon.get(at, { query: { calendar: 'bs' } }))
    expect(shown.dates).toEqual(dates)
    expect(shown.construction_date).toBe('c. 1702 CE')
    const listed = sure(200, await app.anon.get('/cidoc/structures/', { query: { calendar: 'bs' } }))
    expect(listed.results[0].dates).toEqual(dates)
    expect(sure(200, await app.anon.get(at))).not.toHaveProperty('dates')
    expect((await app.anon.get(at, { query: { calendar: 'mayan' } })).status).toBe(400)
  })

  test('of its own calendar', async () => {
    const body = { name: 'Dated in BS', construction_date: '1759', calendar_system: 'bikram_sambat' }
    const made = await publish(app, 'structures', body)
    const { dates } = sure(200, await app.anon.get(`/cidoc/structures/${made.id}/`, { query: { calendar: 'ns' } }))
    expect(dates.construction_date).toMatchObject({ words: '1759', text: 'NS 822/823' })
  })
})

test('words that name a withheld period mean its bounds to those who may see it', async () => {
  const period = { name: 'Reign of few', start_year: '1641', end_year: '1674', access_tier: 'restricted' }
  await publish(app, 'historical_periods', period)
  const { id } = await publish(app, 'structures', { name: 'Dated by few', construction_date: 'Reign of few' })
  const dates = async (who: Persona) =>
    sure(200, await who.get(`/cidoc/structures/${id}/`, { query: { calendar: 'gregorian' } })).dates
  expect(await dates(app.other)).toMatchObject({ construction_date: { text: '1641/1674' } })
  expect(await dates(app.anon)).toEqual({})
})

describe('claims about dates are compared by their bounds', () => {
  test.each([
    ['the same day in another calendar', 'NS 1145 Kachhala thwa 1', '2 November 2024', []],
    ['a year that it is in', 'May 1974', 'BS 2031', []],
    ['a year that it is not in', 'January 1974', 'BS 2031', ['contradiction']],
  ])('%s', async (name, first, second, types) => {
    const made = await publish(app, 'structures', { name: `Compared: ${name}`, construction_date: first })
    const path = `/cidoc/structures/${made.id}/`
    sure(200, await app.staff.patch(path, { body: { construction_date: second } }))
    expect((await flagsOf(made)).map((it) => it.flag_type)).toEqual(types)
  })

  test('a year and its year in another calendar do not contradict each other', async () => {
    const made = await publish(app, 'structures', { name: 'Compared across', construction_date: '1974' })
    const path = `/cidoc/structures/${made.id}/`
    for (const words of ['BS 2031', 'वि.सं. २०३१', 'शाके १८९६', '२०औँ शताब्दी', 'नेपाल संवत् १०९५'])
      sure(200, await app.staff.patch(path, { body: { construction_date: words } }))
    expect(await flagsOf(made)).toEqual([])
    sure(200, await app.staff.patch(path, { body: { construction_date: 'वि.सं. २०३३' } }))
    expect((await flagsOf(made)).map((it) => it.flag_type)).toEqual(['contradiction'])
  })

  test('words that name a period mean its bounds, and are no doubtful date', async () => {
    const body = { name: 'Age of the Three Towns', start_year: '1482', end_year: 'BS 1825' }
    await publish(app, 'historical_periods', body)
    const dated = async (first: string, second: string) => {
      const made = await publish(app, 'structures', { name: `${first}, ${second}`, construction_date: first })
      const path = `/cidoc/structures/${made.id}/`
      sure(200, await app.staff.patch(path, { body: { construction_date: second } }))
      return (await flagsOf(made)).map((it) => it.flag_type)
    }
    expect(await dated('Age of the Three Towns', '1702')).toEqual([])
    expect(await dated('1702', 'during the Age of the Three Towns')).toEqual([])
    expect(await dated('1802', 'the Age of the Three Towns')).toEqual(['contradiction'])
    expect(await dated('Age of the Three Towns', '1802')).toEqual(['contradiction'])
    expect(await dated('1702', 'the age of no town')).toEqual(['low_confidence'])

    const made = await publish(app, 'structures', { name: 'Claimed upon', construction_date: '1802' })
    const claim = { entity_type: 'structure', entity_id: made.id, property: 'construction_date' }
    sure(201, await app.other.post('/cidoc/assertions/', { body: { ...claim, value: 'Age of the Three Towns' } }))
    expect((await flagsOf(made)).map((it) => it.flag_type)).toEqual(['contradiction'])
  })

  test('a bare year is meant in the calendar of its record, on both sides', async () => {
    const body = { name: 'Compared by year', construction_date: '1759', calendar_system: 'bikram_sambat' }
    const made = await publish(app, 'structures', body)
    const path = `/cidoc/structures/${made.id}/`
    sure(200, await app.staff.patch(path, { body: { construction_date: '1702 CE' } }))
    expect(await flagsOf(made)).toEqual([])
    sure(200, await app.staff.patch(path, { body: { construction_date: '1760' } }))
    expect((await flagsOf(made)).map((it) => it.flag_type)).toEqual(['contradiction'])
  })
})
