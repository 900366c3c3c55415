import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { publish } from '../../harness/make.ts'

/** Workers whose process ends in the middle, without an error: at each take of one thing, for ever. */

let app: App
let stream: Following
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  stream = await followTable()
})

/** Runs work whose process ends at the first call of which this holds: no later call reaches the table. Returns whether it ended. */
async function dyingAt(ends: (input: string) => boolean, work: () => Promise<unknown>): Promise<boolean> {
  const { db } = await import('../../../lib/engines/table/client.ts')
  let dead = false
  db.middlewareStack.add(
    (next) => (args) => {
      dead ||= ends(JSON.stringify(args.input))
      if (dead) throw Object.assign(new Error('the process has ended'), { name: 'Ended' })
      return next(args)
    },
    { step: 'initialize', name: 'death', priority: 'high' },
  )
  try {
    await work().catch((error: unknown) => {
      if (!dead) throw error
    })
  } finally {
    db.middlewareStack.remove('death')
  }
  return dead
}

const parked = async () => (await import('../../../lib/domain/effects/parked.ts')).listParked()

test('a change that ends the projector each time is parked after three takes, and the others go on', async () => {
  await stream.settled()
  const place = await publish(app, 'structures', { name: 'Place of a poison' })
  const names = ['Before', 'Poison', 'Behind']
  const events: { cultural_entity_id: string }[] = []
  for (const name of names)
    events.push(await publish(app, 'events', { name: `${name} feast`, architectural_structures: place.id }))
  const poison = events[1]?.cultural_entity_id ?? ''
  const linksTo = async () => {
    const { queryAll } = await import('../../../lib/engines/table/read.ts')
    return (await queryAll(`RELATED#${place.cultural_entity_id}`, '')).map((it) => String(it.sk))
  }
  const { clock } = await import('../../../lib/base/clock.ts')
  const hour = clock.now().getTime() / 1000 - 3600
  const records = (await stream.take()).map((it) => ({
    ...it,
    dynamodb: { ...it.dynamodb, ApproximateCreationDateTime: hour },
  }))
  const { handler } = await import('../../../functions/projector.ts')
  // Writing a link of the poison ends the process.
  const isPoison = (input: string) =>
    input.includes('TransactItems') && input.includes(`RELATED#`) && input.includes(poison)
  let deaths = 0
  for (let visit = 0; visit < 20; visit += 1) {
    if (!(await dyingAt(isPoison, () => handler({ Records: records })))) break
    deaths += 1
  }
  // Once as a part of its batch, then three times alone.
  const [one, ...more] = await parked()
  expect([deaths, more.length, one?.error]).toEqual([4, 0, 'The process that worked on this ended three times.'])
  expect(JSON.stringify(one?.images)).toContain(poison)
  const links = await linksTo()
  const isLinked = (id: string | undefined) => links.some((sk) => sk.includes(String(id)))
  expect(events.map((it) => isLinked(it.cultural_entity_id))).toEqual([true, false, true])
})

describe('a chore that ends the sweeper each time', () => {
  test('rests after three takes, and the chores behind it are done', async () => {
    const { handler } = await import('../../../functions/sweeper.ts')
    // The chore "settled" looks for two-phase commits that are open.
    const isSettling = (input: string) => /"LARGE"/.test(input)
    const visit = async () => {
      let done: Record<string, number> = {}
      const died = await dyingAt(isSettling, async () => {
        done = await handler({ chores: 'often' })
      })
      // The lock of a dead visit ends by itself after a quarter of an hour.
      app.tick(901)
      return died ? 'died' : done
    }
    const visits: unknown[] = []
    for (let nth = 0; nth < 6; nth += 1) visits.push(await visit())
    expect(visits.slice(0, 4)).toEqual(['died', 'died', 'died', 'died'])
    for (const done of visits.slice(4))
      expect(done).toMatchObject({ moved: 0, settled: 0, uploads: 0, watched: expect.any(Number) })
  })
})
