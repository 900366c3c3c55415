import { print, say } from './tools/table.ts'

const RECORDS = 10
const CHANGES = 10_000

/** Whether a citation holds after ten thousand changes, and what it costs to tell it again and to compare it. */
export async function benchCitations(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const { followTable } = await import('../harness/following.ts')
  const { publish, sure } = await import('../harness/make.ts')
  const { storeChanges } = await import('../harness/many-changes.ts')
  const { cited } = await import('../doors/citations/answers.ts')
  const app = await openApp()
  const following = await followTable()
  const made: { cultural_entity_id: string }[] = []
  for (let i = 0; i < RECORDS; i += 1) made.push(await publish(app, 'structures', { name: `Changed ${i}`, note: 'n' }))
  await following.settled()
  const it = sure(201, await app.other.post('/data/citations/', { body: { of: '/cidoc/structures/' } }))
  const path = `/data/citations/${it.id}/`
  const before = JSON.stringify(await cited(app.anon, path))
  const costs = async (changes: number) => {
    const then = new Date(Date.parse(it.at) + 1_000 * Math.ceil(changes / RECORDS / 2)).toISOString()
    const asked = { told: path, compared: `${path}difference/`, 'compared with then': `${path}difference/?to=${then}` }
    const row: Record<string, string | number> = { changes }
    for (const [what, of] of Object.entries(asked)) {
      const answer = await app.anon.get(of)
      sure(200, answer)
      row[`${what}: calls`] = answer.cost.calls
      row[`${what}: units`] = answer.cost.units
    }
    return { ...row, holds: JSON.stringify(await cited(app.anon, path)) === before ? 'yes' : 'no' }
  }
  const rows = [await costs(0)]
  for (const [already, until] of [
    [0, CHANGES / 10],
    [CHANGES / 10, CHANGES],
  ] as const) {
    for (const one of made) await storeChanges(one.cultural_entity_id, (until - already) / RECORDS)
    app.tick(until)
    rows.push(await costs(until))
  }
  say(`A citation of ${RECORDS} records, told again and compared after changes that were accepted since`)
  print('What it costs', rows)
}
