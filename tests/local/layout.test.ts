import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
let check: () => Promise<void>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layout-'))
  process.env.LOCAL_DATA = folder
  check = (await import('../../local/service/layout.ts')).checkFolder
})
afterAll(() => rm(folder, { recursive: true }))

test('data whose table says its layout are taken, earlier ones are refused and left alone', async () => {
  await check()
  await writeFile(join(folder, 'dynamodb.sqlite'), 'rows')
  await check()
  await rm(join(folder, 'layout'))
  await expect(check()).rejects.toThrow(
    `${folder} holds data of a version before 0.2, which this version cannot migrate. To keep them, start that version and run \`npm run export -- DIR\`. Then \`npm run reset\` empties the folder.`,
  )
  expect(await readdir(folder)).toEqual(['dynamodb.sqlite'])
})
