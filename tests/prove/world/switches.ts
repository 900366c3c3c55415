import { AsyncLocalStorage } from 'node:async_hooks'
import { apart } from './actors.ts'
import { NONE } from './sources.ts'

/** What stands around the conditions and waits of the sources, so that one can be taken out, or looked behind, while all is loaded. */
export type Behind = 'it' | 'what is before it'
export type Lock = { pk: string; sk: string }
/** What keeps others off while a call is made. */
export const locked = new AsyncLocalStorage<Lock>()
/** Whether a call is made by what waits patiently: nothing is wrong with it but the moment. */
export const patient = new AsyncLocalStorage<boolean>()
/** Behind what a call is made, of the wait that is looked at. */
export const behind = new AsyncLocalStorage<Behind>()
/** The numbers of what is out, and of the wait that is looked at; how often what is out was passed since the event loop has last turned. */
const now = { out: NONE, looked: NONE, passes: 0 }
/** Whoever passes it so often, and lets nothing else happen, goes round in a circle. Sums and comparisons are passed for each letter of a text. */
const MOST_PASSES = 20_000
const MOST_SUMS = 3_000_000
const { setImmediate: afterTurn } = globalThis

/** Takes a condition or a wait out of the sources, by the number of its switch, and puts any other in again. */
export function takeOut(number: number): void {
  now.out = number
}

/** From here on calls behind this wait are told from others, and behind no other. */
export function lookBehind(wait: number): void {
  now.looked = wait
}

const at = <T>(wait: number, work: () => Promise<T>): Promise<T> =>
  now.looked === wait ? behind.run('it', work) : work()

/** Whether this one is out. Fails where it is passed without end. */
function isOut(number: number, most = MOST_PASSES): boolean {
  if (now.out !== number) return false
  if (now.passes === 0)
    afterTurn(() => {
      now.passes = 0
    })
  now.passes += 1
  if (now.passes > most) throw new Error('it comes to no end')
  return true
}

export const switches = {
  patient:
    <T>(work: () => Promise<T>) =>
    () =>
      patient.run(true, work),
  apart: <T>(work: () => Promise<T>) => apart.run(true, work),
  isOut,
  /** A comparison says the opposite while it is out. */
  turned: (number: number, says: boolean) => isOut(number, MOST_SUMS) !== says,
  /** Of a sum, what is added while it is out. */
  added: (number: number, added: number) => (isOut(number, MOST_SUMS) ? 0 : added),
  /** A wait whose result nobody uses. */
  wait: <T>(wait: number, work: () => Promise<T>) => (isOut(wait) ? void apart.run(true, work) : at(wait, work)),
  /** What a function ends with. */
  last: at,
  /** What is waited for before some waits of the same function. */
  before: <T>(waits: readonly number[], work: () => Promise<T>): Promise<T> =>
    waits.includes(now.looked) && !behind.getStore() ? behind.run('what is before it', work) : work(),
}
