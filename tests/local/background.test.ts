import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callIn } from '../../local/service/functions.ts'

/** The process that runs what nobody calls, as `npm start` begins it. */
let folder: string
let child: ChildProcess
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heritage-background-'))
  child = fork(join(import.meta.dirname, '../../local/service/background.ts'), { cwd: folder, silent: true })
  await writeFile(
    join(folder, 'echo.mjs'),
    `export const handler = async (event, context) => {
      if (event.fails) throw new Error('no')
      return { event, name: context.functionName, left: context.getRemainingTimeInMillis(), said: process.env.SAID }
    }`,
  )
  await writeFile(join(folder, 'long.mjs'), 'export const handler = () => new Promise(() => setTimeout(() => {}, 1e6))')
  await writeFile(join(folder, 'newer.mjs'), 'export const handler = async () => undefined')
})
afterAll(async () => {
  child.kill()
  await rm(folder, { recursive: true })
})

let calls = 0
async function call(event: object, file = 'echo.mjs'): Promise<unknown> {
  calls += 1
  const of = calls
  const answer = new Promise((resolve) => {
    const listen = (message: { call: number }) => {
      if (message.call !== of) return
      child.off('message', listen)
      resolve(message)
    }
    child.on('message', listen)
  })
  child.send({ call: of, name: 'echo', event, file, environment: { SAID: 'yes' }, timeout: 60 })
  return answer
}

test('a function has its event, its name, its environment and its time', async () => {
  const answer = await call({ a: 1 })
  expect(answer).toMatchObject({ answer: { event: { a: 1 }, name: 'heritage-local-echo', said: 'yes' } })
  expect(Object(answer).answer.left).toBeGreaterThan(50_000)
})

test('what fails says so, and the next call is answered', async () => {
  expect(await call({ fails: true })).toEqual({ call: calls, failed: 'no' })
  expect(await call({}, 'gone.mjs')).toMatchObject({ failed: expect.stringContaining('gone.mjs') })
  expect(await call({}, 'newer.mjs')).toEqual({ call: calls })
})

test('several are answered side by side', async () => {
  const all = await Promise.all([call({ n: 1 }), call({ n: 2 }), call({ fails: true })])
  expect(all.map((it) => Object(it).answer?.event.n ?? Object(it).failed)).toEqual([1, 2, 'no'])
})

test('it ends with its parent', async () => {
  const other = fork(join(import.meta.dirname, '../../local/service/background.ts'), { cwd: folder })
  await once(other, 'spawn')
  other.disconnect()
  expect(await once(other, 'exit')).toEqual([0, null])
})

test('a call of a process that ends meanwhile, or has ended, fails with a sentence and prints no stack', async () => {
  const other = fork(join(import.meta.dirname, '../../local/service/background.ts'), { cwd: folder, silent: true })
  await once(other, 'spawn')
  const runnable = { file: 'long.mjs', environment: {}, timeout: 60 }
  const meanwhile = callIn(other, 'long', {}, runnable)
  other.kill('SIGKILL')
  await expect(meanwhile).rejects.toThrow(/^The process has ended\.$/)
  // Its channel is closed, which Node calls ERR_IPC_CHANNEL_CLOSED.
  await expect(callIn(other, 'long', {}, runnable)).rejects.toThrow(/^The process has ended\.$/)
  expect([other.connected, other.listenerCount('message'), other.listenerCount('exit')]).toEqual([false, 0, 0])
})
