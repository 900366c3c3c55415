import { setTimeout as sleep } from 'node:timers/promises'
import { nameOf, visit, type World } from './background.ts'
import type { Runtime } from './runtime.ts'

/**
 * What nobody waits for fails: each scheduled job, each follower of the stream. What they could not take in must
 * come to lie where the template says. `stir` makes changes for the stream. Answers what was lost.
 */
export async function troubles(world: World, runtime: Runtime, stir: () => Promise<unknown>): Promise<string[]> {
  const wanted = new Set<string>()
  for (const { destination } of world.stack.failing()) if (destination) wanted.add(destination)
  for (const schedule of world.stack.schedules()) {
    runtime.crash(nameOf(schedule.target), true)
    await visit(world, schedule)
    runtime.crash(nameOf(schedule.target), false)
  }
  const followers = world.stack.mappings().filter(({ source }) => source.includes('/stream/'))
  for (const { target, dead } of followers) {
    if (dead) wanted.add(dead)
    runtime.crash(nameOf(target), true)
  }
  // Whoever waits for what follows waits in vain.
  const stirring = stir()
  const lost = () => [...wanted].filter((queue) => !world.letters.has(queue))
  for (let turn = 0; turn < 180 && lost().length > 0; turn += 1) await sleep(500)
  for (const { target } of followers) runtime.crash(nameOf(target), false)
  void stirring
  return lost().map((queue) => `what failed did not come to ${queue.split(':').at(-1)}`)
}
