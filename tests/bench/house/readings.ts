import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { print, say } from '../tools/table.ts'

const Readings = v.object({
  questions: v.array(v.object({ number: v.number(), files_opened: v.number(), passed: v.boolean() })),
  /** Changes that the reader carried out by the recipes. `held`: each file was named by a page or by a failing test, and no page was untrue. */
  changes: v.array(v.object({ change: v.string(), held: v.boolean() })),
  comments: v.nullable(
    v.object({
      drawn: v.number(),
      seed: v.number(),
      failing: v.object({ before: v.optional(v.number()), now: v.number() }),
    }),
  ),
})
type Readings = v.InferOutput<typeof Readings>

const load = (): Readings =>
  v.parse(Readings, JSON.parse(readFileSync(join(import.meta.dirname, 'readings.json'), 'utf8')))

/** Prints what readers found who had not seen the code. `readings.json` holds it, written by hand. */
export function printReadings(readings: Readings = load()): void {
  for (const line of readingsIn(readings)) say(line)
  if (readings.questions.length > 0)
    print(
      'Questions of a newcomer, and the files opened to answer each',
      readings.questions.map(({ number, files_opened, passed }) => ({
        question: number,
        'files opened': files_opened,
        answered: passed ? 'yes' : 'no',
      })),
    )
}

/** The sentences about readings. What was not measured is said to be so: an empty list is no result. */
export function readingsIn({ questions, changes, comments }: Readings): string[] {
  const answered = questions.filter(({ passed }) => passed).length
  return [
    questions.length === 0
      ? 'How many files a newcomer opens to answer a question was not measured.'
      : `Of ${questions.length} questions a newcomer who knows TypeScript and DynamoDB answered ${answered}.`,
    changes.length === 0
      ? 'Whether a newcomer can change the service by its recipes was not measured.'
      : `Of ${changes.length} changes that the newcomer carried out by the recipes, the pages and tests named every file for ${changes.filter(({ held }) => held).length}.`,
    comments === null || comments.drawn === 0
      ? 'How many comments need a second reading was not measured.'
      : `Of ${comments.drawn} comments drawn by chance from lib and functions (seed ${comments.seed}) ${comments.failing.now} needed a second reading` +
        (comments.failing.before === undefined ? '.' : `; before, ${comments.failing.before} did.`),
  ]
}
