import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkPorts } from '../../local/service/settings.ts'
import { bareEnvironment } from '../harness/bare-environment.ts'
import { freePorts, spawnStart, startService } from '../harness/local-service.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heritage-start-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What `npm start` says that does not start. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const { child, output } = spawnStart({ LOCAL_DATA: join(folder, 'data'), ...(await freePorts()), ...settings })
  const [code] = await once(child, 'close')
  expect(code, output()).toBe(1)
  return output().trim()
}

describe('a setting that is wrong is named in one sentence', () => {
  test('a port that is none', async () => {
    const reason = 'PORT is "abc", and a port is a whole number from 1 to 65535.'
    expect(await refusal({ PORT: 'abc' })).toBe(`Cannot start: ${reason}`)
    for (const text of ['70000', '-1', '0', '80.5', ''])
      expect(() => checkPorts({ PORT: text })).toThrow(`PORT is "${text}", and`)
    expect(() => checkPorts({ PORT: 'a', S3_PORT: 'b' })).toThrow(/PORT is "a".*S3_PORT is "b"/)
  })

  test('two settings with one port', () => {
    expect(() => checkPorts({ PORT: '12345', S3_PORT: '12345' })).toThrow('S3_PORT is 12345, and so is PORT.')
  })

  test('a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const said = await refusal({ PORT: port })
    server.close()
    expect(said).toContain(`Cannot start: port ${port} (API) is busy`)
    expect(said).toContain('set PORT to another port.')
  })

  test('a folder that is a file, or below one', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await refusal({ LOCAL_DATA: file })).toBe(
      `Cannot start: LOCAL_DATA names ${file}, which is a file. Set it to a folder that can be written.`,
    )
    expect(await refusal({ LOCAL_DATA: join(file, 'x') })).toContain('which lies below a file.')
  })

  test.skipIf(process.platform !== 'linux')('a folder that nobody can write, root neither', async () => {
    expect(await refusal({ LOCAL_DATA: '/proc/heritage' })).toContain(
      'Cannot start: LOCAL_DATA names /proc/heritage, which this user may not write',
    )
  })

  const small = () => join(folder, 'small')
  const mountSmall = async () => {
    await mkdir(small(), { recursive: true })
    return spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small()]).status === 0
  }
  test('a full disk', async ({ skip }) => {
    if (!(await mountSmall())) skip('only root can mount a small disk')
    try {
      const said = await refusal({ LOCAL_DATA: small() })
      expect(said).toBe(
        `Cannot start: LOCAL_DATA names ${small()}, and its disk is full: 1 MB are left, 50 are needed. Make room, or set it to another folder.`,
      )
    } finally {
      spawnSync('/bin/umount', [small()])
    }
  })
})

describe('a folder of data has one holder', () => {
  const command = (name: string, settings: Readonly<Record<string, string>>, ...args: string[]) => {
    const env = { ...bareEnvironment, ...settings }
    const { status, stdout, stderr } = spawnSync(process.execPath, [`local/commands/${name}.ts`, ...args], {
      ...{ env, encoding: 'utf8' },
    })
    return { status, said: `${stdout}${stderr}`.trim() }
  }

  test('others are refused until it ends, however it ends', { timeout: 120_000 }, async () => {
    const service = await startService()
    const { settings, pid, origin } = service
    const data = settings.LOCAL_DATA ?? ''
    try {
      const holder = new RegExp(
        `${data} is in use by \`npm start\` \\(process ${pid}, ${origin}, since .*\\)\\. Stop it`,
      )
      expect(await refusal({ LOCAL_DATA: data })).toMatch(holder)
      const reset = command('reset', settings)
      expect([reset.status, reset.said]).toEqual([1, expect.stringMatching(holder)])
      const restore = command('restore', settings, join(folder, 'backup'))
      expect([restore.status, restore.said]).toEqual([1, expect.stringMatching(holder)])
      expect((await fetch(`${origin}/health/`)).status).toBe(200)

      process.kill(pid, 'SIGKILL')
      await expect.poll(() => command('reset', settings).said).toContain(`Emptied ${data}.`)
      await expect(access(join(data, 'dynamodb.sqlite'))).rejects.toThrow('ENOENT')
    } finally {
      await service.stop()
    }
  })

  test('a restore needs a service to restore into', () => {
    const { status, said } = command('restore', { LOCAL_DATA: join(folder, 'none') }, join(folder, 'backup'))
    expect(status).toBe(1)
    expect(said).toContain('Start an empty one with `npm start -- --empty`')
  })
})
