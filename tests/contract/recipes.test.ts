import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edit, recipes } from './recipes.ts'

/**
 * The recipes of CONTRIBUTING.md are carried out on a copy of the tree: together they compile and pass the tests that hold the lists.
 * With an edit left out, the compiler or a test names the file that lacks it.
 */
const root = join(import.meta.dirname, '../..')
const edits = Object.values(recipes).flat()
const run = promisify(execFile)
/** The tests that hold the lists: files, and a pattern of titles. */
const LISTS = [
  'tests/contract/openapi.test.ts',
  'tests/contract/every-question.test.ts',
  'tests/base/language/catalogue.test.ts',
  'tests/contract/layers.test.ts',
  'tests/contract/counted.test.ts',
  'tests/domain/kinds/registry.test.ts',
  'tests/domain/review/decisions.test.ts',
  'tests/platform/users/users.test.ts',
  'tests/contract/docs.test.ts',
  'tests/contract/pages.test.ts',
  'tests/local/demonstration.test.ts',
]
const TITLES =
  'keeps the contract|each parameter what it means|whatever can be asked for|has every sentence|has every notice|as many kinds|codes are|demonstration set|order of every kind|every room there is|every item type that counts|above the top|see their role|offer every seeded user|names each rank'
const MINUTES = 60_000

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'recipes-'))
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Puts every file back, then makes the edits. */
function carryOut(chosen: readonly Edit[]): void {
  for (const { file, from } of edits) {
    if (from === undefined) rmSync(join(copy, file), { force: true })
    else cpSync(join(root, file), join(copy, file))
  }
  for (const { file, from, to } of chosen) {
    const path = join(copy, file)
    const text = from === undefined ? '' : readFileSync(path, 'utf8')
    if (from !== undefined && !text.includes(from)) {
      throw new Error(
        `${file} has no ${from}: mend \`from\` in tests/contract/recipes.ts. If your change is what the sample adds, choose another sample`,
      )
    }
    writeFileSync(path, from === undefined ? to : text.replace(from, () => to))
  }
}

/** What a command of the packages says in the copy, and whether it failed. */
async function runInCopy(...command: readonly string[]): Promise<{ failed: boolean; text: string }> {
  const [name = '', ...words] = command
  // The compiler is a program in Go. It looks for garbage less often, which is a fifth of its time. Tests start emulators of their own.
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, DYNAMODB_ENDPOINT: undefined, GOGC: '400' }
  const options = { cwd: copy, env, maxBuffer: 1 << 26 }
  return run(join(root, 'node_modules/.bin', name), words, options).then(
    ({ stdout, stderr }) => ({ failed: false, text: stdout + stderr }),
    ({ stdout, stderr }) => ({ failed: true, text: stdout + stderr }),
  )
}
/**
 * The second compilation looks only at files that have changed since the first. One thread does with half of the work of several, each of
 * which would learn the types that they share.
 */
const compile = () => runInCopy('tsc', '--singleThreaded', '--incremental', '--tsBuildInfoFile', '.tsbuildinfo')
const writeContract = () => runInCopy('node', 'api/write.ts')
const testLists = () => runInCopy('vitest', 'run', '--no-file-parallelism', ...LISTS, '-t', TITLES)

/** The section of CONTRIBUTING.md under a heading. */
const sectionOf = (title: string) =>
  readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    .split(/^#{2,3} /m)
    .find((it) => it.startsWith(`${title}\n`)) ?? ''

describe.each(Object.entries(recipes))('%s', (title, steps) => {
  test('the recipe in CONTRIBUTING.md names every file that is edited', () => {
    const section = sectionOf(title)
    const files = new Set(steps.map(({ file }) => file))
    const isNamed = (file: string) => section.includes(file) || section.includes(`${dirname(file)}/`)
    expect([...files].filter((file) => !isNamed(file))).toEqual([])
  })
})

test('all recipes together compile, and pass the tests that hold the lists', { timeout: 10 * MINUTES }, async () => {
  carryOut(edits)
  for (const step of [compile, writeContract, testLists]) {
    const { failed, text } = await step()
    expect(failed, text.slice(-8000)).toBe(false)
  }
})

test('the compiler names the file that lacks an edit', { timeout: 5 * MINUTES }, async () => {
  const forgotten = edits.filter(({ without }) => without?.fails === 'tsc')
  carryOut(edits.filter((edit) => !forgotten.includes(edit)))
  const { failed, text } = await compile()
  expect(failed).toBe(true)
  expect(forgotten.map(({ without }) => without?.names).filter((file) => !text.includes(`${file}(`))).toEqual([])
})

test('a test names the file that lacks an edit', { timeout: 10 * MINUTES }, async () => {
  const forgotten = edits.filter(({ without }) => without?.fails === 'test')
  carryOut(edits.filter((edit) => !forgotten.includes(edit)))
  const { failed, text } = await testLists()
  expect(failed).toBe(true)
  const told = text.slice(text.search(/Failed (Suites|Tests)/))
  expect(forgotten.map(({ without }) => without?.names).filter((file) => !told.includes(file ?? '?'))).toEqual([])
})
