import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const lib = join(import.meta.dirname, '../../lib')
/** The files that declare item types. */
const declaring = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(lib, name))
  .filter((path) => readFileSync(path, 'utf8').includes('defineItem('))

/** `npm run recount` counts the items of the types that it knows. It would take the size of any other list for wrong, and set it to 0. */
test('the repair of sizes knows every item type that counts in a list', async () => {
  await import('../../lib/domain/composition.ts')
  await import('../../lib/domain/effects/repair.ts')
  const { countedTypes } = await import('../../lib/engines/table/index.ts')
  const known = countedTypes()
  for (const path of declaring) await import(/* @vite-ignore */ path)
  const unknown = countedTypes().filter((type) => !known.includes(type))
  expect(unknown, 'import what declares them at the top of lib/domain/effects/repair.ts').toEqual([])
})
