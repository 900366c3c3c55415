import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { NONE } from '../world/sources.ts'
import type { Asked, Told, Trial } from './asked.ts'
import type { Look } from './looks.ts'
import type { Reached } from './reach.ts'

/** A case is over by then, in milliseconds; one that is not comes to no end. */
const LONGEST_MS = 60_000

/** A place at which one cut after the other is tried. Where a case comes to no end its process goes, and another one begins. */
export class Seat {
  #child: ChildProcess | undefined

  /** Which cases come by each cut, of those that this place has. */
  async reached(asked: Exclude<Asked, Trial>): Promise<Reached> {
    const { reached, stuck } = await this.#answered(asked)
    if (!reached) throw new Error(`without a cut it comes to no end: ${stuck?.names.join()}`)
    return reached
  }

  /** What is wrong where something is cut, in one sentence, and is not wrong without that; undefined where nobody notices. */
  async found(asked: Trial): Promise<string | undefined> {
    const { found, stuck } = await this.#answered(asked)
    if (stuck === undefined) return found
    const calm = await this.#answered({ ...asked, number: NONE, looks: [stuck] })
    return calm.stuck ? undefined : `it comes to no end: ${stuck.part} ${stuck.names.join()}`
  }

  async #answered(asked: Asked): Promise<Answered> {
    this.#child ??= await opened()
    const answer = await answered(this.#child, asked)
    if (answer.stuck) this.leave()
    return answer
  }

  leave(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

/** What was found, or the case from which nothing is heard any more. */
type Answered = { found?: string | undefined; reached?: Reached; stuck?: Look }
const BEGINNING: Look = { part: 'base', names: ['its beginning'] }

async function opened(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('seat.ts', import.meta.url)))
  const { stuck } = await answered(child)
  if (stuck) throw new Error('a process for cuts does not begin')
  return child
}

/** The answer to what is asked, or, where nothing is asked, that it has begun. */
function answered(child: ChildProcess, asked?: Asked): Promise<Answered> {
  return new Promise((done, failed) => {
    let at = BEGINNING
    const over = (it: Answered) => {
      clearTimeout(timer)
      child.off('message', hear).off('exit', gone)
      done(it)
    }
    const timer = setTimeout(() => over({ stuck: at }), LONGEST_MS)
    const gone = (code: number | null) => failed(new Error(`a process for cuts ended with ${code}`))
    const hear = (it: Told) => {
      if (!('at' in it)) return over(it)
      at = it.at
      timer.refresh()
    }
    child.on('message', hear).on('exit', gone)
    if (asked) child.send(asked)
  })
}
