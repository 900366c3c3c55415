import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Service } from './service.ts'

/** What a suite found. `cases`: how many things it looked at. `known`: failures that were judged to be faults of the suite, by reason. */
export type Outcome = {
  version: string
  cases: string
  failures: readonly string[]
  known: ReadonlyMap<string, number>
}
/** Where a suite runs: a folder of its own, and a service with demonstration data that all of them share. */
export type Place = { folder: string; service: () => Promise<Service> }
export type Suite = {
  name: string
  /** How to install it. */
  install: string
  /** Undefined if it is not installed. */
  run: (place: Place) => Promise<Outcome | undefined>
}

export const outputOf = promisify(execFile)

/** The output of a command, whatever it ends with. Undefined if there is no such command. */
export async function say(command: string, args: readonly string[], cwd = process.cwd()): Promise<string | undefined> {
  try {
    return (await outputOf(command, [...args], { cwd, maxBuffer: 200_000_000 })).stdout
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string }
    if (code === 'ENOENT') return undefined
    return stdout ?? ''
  }
}

/** A script of ours that asks a library of others ends so where that is not installed. */
const NOT_INSTALLED = 3

/** What a script of this folder tells as JSON. Undefined if the library that it stands on is not installed. */
export async function askPython<T>(script: string, args: readonly string[]): Promise<T | undefined> {
  try {
    const { stdout } = await outputOf('python3', [`tests/outside/${script}`, ...args], { maxBuffer: 200_000_000 })
    return JSON.parse(stdout)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === NOT_INSTALLED) return undefined
    throw error
  }
}

export const versionIn = (text: string): string => /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? 'unknown'

/** Divides failures into known ones, counted by reason, and others. */
export function judge(
  failures: readonly string[],
  reasons: readonly (readonly [pattern: RegExp, reason: string])[],
): Pick<Outcome, 'failures' | 'known'> {
  const known = new Map<string, number>()
  const others: string[] = []
  for (const failure of failures) {
    const reason = reasons.find(([pattern]) => pattern.test(failure))?.[1]
    if (reason === undefined) others.push(failure)
    else known.set(reason, (known.get(reason) ?? 0) + 1)
  }
  return { failures: others, known }
}
