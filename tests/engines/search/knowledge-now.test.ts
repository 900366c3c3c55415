import { expect, test } from 'vitest'
import { openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'

test('a place that was accepted a second ago works in the next question, by each of its names', async () => {
  const app = await openApp()
  const following = await followTable()
  await publish(app, 'structures', { name: 'Lamp Temple', coordinates: '27.7101,85.3487' })
  await publish(app, 'structures', { name: 'Far Temple', coordinates: '27.9,85.1' })
  await following.settled()
  const ask = async (q: string): Promise<{ results: { title: string }[]; left_out?: string[] }> =>
    sure(200, await app.anon.get(`/data/search/?resource=structures&q=${encodeURIComponent(q)}`))
  const asked = async (q: string) => (await ask(q)).results.map(({ title }) => title)
  // Nobody knows the places yet: each temple answers, and the place is left out.
  for (const place of ['deopatan', 'chabahil']) {
    const { results, left_out } = await ask(`temples in ${place}`)
    expect([results.length, left_out]).toEqual([2, ['in', place]])
  }
  await publish(app, 'locations', { name: 'Deopatan', alternate_names: ['Gvala'], coordinates: '27.7105,85.3490' })
  await publish(app, 'locations', { name: 'Chabahil', coordinates: '27.9002,85.1' })
  await following.settled()
  expect(await asked('temples in deopatan')).toEqual(['Lamp Temple'])
  expect(await asked('temples in chabahil')).toEqual(['Far Temple'])
  expect((await asked('gvala temples'))[0]).toBe('Lamp Temple')
})
