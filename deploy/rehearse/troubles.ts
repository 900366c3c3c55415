import { setTimeout as sleep } from 'node:timers/promises'
import { letterOf, nameOf, visit, type World } from './aws/background.ts'
import type { Runtime } from './aws/runtime.ts'

/**
 * Scheduled jobs, followers of the stream, and functions that others call asynchronously crash at each event. Each event must arrive in
 * the dead-letter queue that the template names. `stir` makes changes for the stream. Returns which queues got nothing.
 */
export async function troubles(world: World, runtime: Runtime, stir: () => Promise<unknown>): Promise<string[]> {
  const { stack } = world
  for (const schedule of stack.schedules())
    await whileCrashing(runtime, [schedule.target], () => visit(world, schedule))
  const followers = stack.mappings().filter(({ source }) => source.includes('/stream/'))
  const called = stack.failing().filter(({ target }) => !stack.schedules().some((it) => it.target === target))
  const letters = [...followers, ...stack.failing()].flatMap(({ target, ...it }) => {
    const queue = 'dead' in it ? it.dead : 'destination' in it ? it.destination : undefined
    return queue ? [{ target, place: letterOf(target, queue) }] : []
  })
  const lost = (targets: readonly string[]) =>
    letters.filter(({ target, place }) => targets.includes(target) && !world.letters.has(place))
  world.isLate = true
  for (const some of [called, followers]) {
    const targets = some.map(({ target }) => target)
    await whileCrashing(runtime, targets, async () => {
      await stir()
      for (let turn = 0; turn < 120 && lost(targets).length > 0; turn += 1) await sleep(500)
    })
  }
  world.isLate = false
  return lost(letters.map(({ target }) => target)).map(({ place }) => `what failed did not come to lie: ${place}`)
}

async function whileCrashing(runtime: Runtime, targets: readonly string[], work: () => Promise<unknown>) {
  for (const target of targets) runtime.crash(nameOf(target), true)
  await work()
  for (const target of targets) runtime.crash(nameOf(target), false)
}
