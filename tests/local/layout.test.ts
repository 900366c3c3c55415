import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
let check: () => Promise<void>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layout-'))
  process.env.LOCAL_DATA = folder
  check = (await import('../../local/service/layout.ts')).checkLayout
})
afterAll(() => rm(folder, { recursive: true }))

test('data of this version are taken, those of an earlier one are refused and left alone', async () => {
  await check()
  await writeFile(join(folder, 'dynamodb.sqlite'), 'rows')
  await check()
  await rm(join(folder, 'layout'))
  await expect(check()).rejects.toThrow(`${folder} holds data of an earlier version. \`npm run reset\` empties it.`)
  expect(await readdir(folder)).toEqual(['dynamodb.sqlite'])
})
