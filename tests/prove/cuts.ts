import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dice, dice } from './world/chance.ts'
import { type Cut, ROOT } from './world/sources.ts'

/**
 * Every condition of a write and every wait for one, found in the sources themselves: a condition that always holds in the place of each,
 * and a call that nobody waits for in the place of each wait that is a statement of its own.
 */
const ROOMS = 'lib/**/*.ts'
/** What is no write of the service's: it is configured, started or told of, and another room's tests look after it. */
const WRITING =
  /\b(transact|write|commit\w*|put\w*|raise|drop|clearItem|eachOf|db\.send|settle\w*|stage\w*|followEdges|move\w+|save\w*)\(/
const CONDITION = /(?<!Key)ConditionExpression: (['`])(.+?)\1/g
const WAIT = /^( +)await (?=.)/gm

export type Found = Cut & { name: string }

const lineOf = (source: string, at: number) => source.slice(0, at).split('\n').length

function inFile(file: string): Found[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const conditions = [...source.matchAll(CONDITION)].map((match) => {
    const [whole, quote, condition] = match
    const always = `(${condition}) OR attribute_exists(pk) OR attribute_not_exists(pk)`
    return {
      ...{ file, from: match.index, to: match.index + whole.length },
      with: `ConditionExpression: ${quote}${always}${quote}`,
      name: `${file}:${lineOf(source, match.index)} minds no condition`,
    }
  })
  const waits = [...source.matchAll(WAIT)].flatMap((match) => {
    const from = match.index + (match[1]?.length ?? 0)
    const line = source.slice(from, source.indexOf('\n', from))
    if (!WRITING.test(line)) return []
    const name = `${file}:${lineOf(source, from)} waits for nothing`
    return [{ file, from, to: from + 'await'.length, with: 'void', name }]
  })
  return [...conditions, ...waits]
}

/** All of them, in the order of the files. */
export const foundCuts = (): Found[] => globSync(ROOMS, { cwd: ROOT }).sort().flatMap(inFile)

/** So many of them by chance, each once, with their numbers. */
export function someCuts(many: number, seed: number): [number, Found][] {
  const left = [...foundCuts().entries()]
  const chance: Dice = dice(seed)
  return Array.from({ length: Math.min(many, left.length) }, () => left.splice(chance.below(left.length), 1)).flat()
}
