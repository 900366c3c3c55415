import { type Answer, type Request, send } from './requests.ts'
import type { World } from './world/world.ts'

/** What is done before a case, one after the other, with nothing going wrong: requests, that may need what came of earlier ones, and what is no request. */
export type Step =
  | Request
  | ((made: readonly Answer[]) => Request)
  | { does: (world: World, made: readonly Answer[]) => unknown }

/** Answers what has come of the requests. */
export async function taken(world: World, steps: readonly Step[]): Promise<Answer[]> {
  const made: Answer[] = []
  for (const step of steps) {
    if (typeof step === 'object' && 'does' in step) {
      await step.does(world, made)
      continue
    }
    const request = typeof step === 'function' ? step(made) : step
    const answer = await send(world, request)
    if (answer.status >= 400) throw new Error(`${request.method} ${request.path} gave ${answer.status}: ${answer.text}`)
    made.push(answer)
  }
  return made
}
