import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unlessFresh } from '../../deploy/packages/fresh.ts'

let root: string
let made = 0
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'heritage-fresh-'))
  made = 0
  await writeFile(join(root, 'source.ts'), 'one')
  await tick()
})
afterEach(() => rm(root, { recursive: true }))

/** File systems tell times apart that are some milliseconds from each other. */
const tick = () => sleep(20)
const make = (work: () => Promise<unknown> = async () => undefined) =>
  unlessFresh({ root, sources: ['source.ts'], mark: '.build/made' }, async () => {
    await work()
    made += 1
  })

test('what is newer than its sources is not made again', async () => {
  await make()
  await make()
  expect(made).toBe(1)
  await tick()
  await writeFile(join(root, 'source.ts'), 'two')
  await make()
  expect(made).toBe(2)
})

test('a source that changes while something is made of it has it made again, and so does one that looks old', async () => {
  await make(async () => {
    await tick()
    await writeFile(join(root, 'source.ts'), 'two')
  })
  await make()
  expect(made).toBe(2)
  await tick()
  await utimes(join(root, 'source.ts'), 0, 0)
  await make()
  expect(made).toBe(3)
})

test('of many who come at once one makes it; who comes after one that failed makes it', async () => {
  await Promise.all(Array.from({ length: 10 }, () => make(tick)))
  expect(made).toBe(1)
  await tick()
  await writeFile(join(root, 'source.ts'), 'two')
  const failing = async () => {
    throw new Error('broken')
  }
  await expect(make(failing)).rejects.toThrow('broken')
  await make()
  expect(made).toBe(2)
})
