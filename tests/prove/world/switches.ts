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
/** The numbers of what is out, and of the wait that is looked at. */
const now = { out: NONE, looked: NONE }

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

export const switches = {
  patient:
    <T>(work: () => Promise<T>) =>
    () =>
      patient.run(true, work),
  apart: <T>(work: () => Promise<T>) => apart.run(true, work),
  isOut: (number: number) => now.out === number,
  /** A wait whose result nobody uses. */
  wait: <T>(wait: number, work: () => Promise<T>) => (now.out === wait ? void apart.run(true, work) : at(wait, work)),
  /** What a function ends with. */
  last: at,
  /** What is waited for before some waits of the same function. */
  before: <T>(waits: readonly number[], work: () => Promise<T>): Promise<T> =>
    waits.includes(now.looked) && !behind.getStore() ? behind.run('what is before it', work) : work(),
}
