import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
  await publish(app, 'historical_periods', { name: 'Malla period', start_year: '1201', end_year: '1779' })
})

test.each(['Malla period', 'in the Malla era', 'Malla', 'मल्लकाल', 'मल्ल काल', 'मल्लकालमा'])(
  '%s is one period by all its spellings',
  async (date) => {
    const answer = sure(200, await app.contributor.post('/cidoc/assist/read-date/', { body: { text: date } }))
    expect([answer.date.understood.from, answer.date.understood.to]).toEqual(['1201-01-01', '1779-12-31'])
  },
)

test('another period is another', async () => {
  const body = { text: 'Lichhavi period' }
  expect(sure(200, await app.contributor.post('/cidoc/assist/read-date/', { body })).period).toBeNull()
})
