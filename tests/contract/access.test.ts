import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import access from '../../local/deploy/access.json' with { type: 'json' }
import { events } from '../../local/deploy/routes.ts'
import { type App, openApp } from '../harness/app.ts'
import { openProvider, type Provider, START } from '../harness/provider.ts'

let app: App
let idp: Provider
beforeAll(async () => {
  idp = await openProvider()
  app = await openApp({ env: idp.env })
})
afterAll(() => idp.stop())

// What identification does is part of what each function must be allowed to do: whoever comes may come for the first time.
describe('a caller may come for the first time to any function', () => {
  test.each(Object.keys(events))('%s', async (name) => {
    const { loadByEmail } = await import('../../lib/users/users.ts')
    const email = `${name}@example.org`
    expect(await loadByEmail(email)).toBeUndefined()
    await comeTo(name, email)
    expect((await loadByEmail(email))?.email).toBe(email)
  })
})

// Then the provider completes the name, and the entry under the shorter one goes.
describe('a caller who has registered may come with the provider’s token to any function', () => {
  test.each(Object.keys(events))('%s', async (name) => {
    const { createNamedAfterEmail, load } = await import('../../lib/users/users.ts')
    const email = `registered.${name}@example.org`
    const { id } = await createNamedAfterEmail({ email, first_name: 'Hari' })
    expect(await entriesOf(id)).toContain('hari')
    await comeTo(name, email)
    expect((await load(id))?.last_name).toBe('Heritage')
    expect(await entriesOf(id)).not.toContain('hari')
  })

  test('and may do what this takes', () => {
    const granted: Readonly<Record<string, readonly string[]>> = access
    expect(Object.keys(events).filter((name) => !granted[name]?.includes('dynamodb:DeleteItem Table'))).toEqual([])
  })
})

/** Asks a function for something, as someone whom the provider knows under this address. */
async function comeTo(name: string, email: string): Promise<void> {
  const { routes }: { routes: object } = await import(`../../functions/${name}.ts`)
  const [method = '', path = ''] = plainest(Object.keys(routes)).split(' ')
  const token = email.replace('@', '.at.')
  idp.tokens.set(token, {
    userinfo: { sub: email, email, email_verified: true, family_name: 'Heritage' },
    tokeninfo: { active: true, aud: 'heritage-test', exp: START + 3600 },
  })
  await app.as(token).send(method, path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'))
}

/** The names under which a user is found. */
async function entriesOf(id: string): Promise<string[]> {
  const { scan } = await import('../../lib/table/scan.ts')
  const found = (await Array.fromAsync(scan(['entry']))).flat().filter((it) => String(it.pk).startsWith('NAME#user#'))
  return found.filter((it) => it.entity_id === id).map((it) => String(it.sk).split('#')[0] ?? '')
}

describe('npm run access', () => {
  const exact = Object.entries(access).flatMap(([name, uses]) => uses.map((use) => `${name} ${use}`))
  const compare = (lines: readonly string[]) => {
    const TRACES = mkdtempSync(join(tmpdir(), 'heritage-traces-'))
    // Two workers that have seen some of the same.
    writeFileSync(join(TRACES, '1.txt'), `${lines.join('\n')}\n`)
    writeFileSync(join(TRACES, '2.txt'), `${lines[0]}\n`)
    const { status, stdout } = spawnSync(process.execPath, ['local/deploy/access.ts'], {
      env: { ...process.env, TRACES },
      encoding: 'utf8',
    })
    rmSync(TRACES, { recursive: true })
    return [status, stdout.trim()]
  }

  test('is content when what was seen is what is granted', () => {
    expect(compare(exact)).toEqual([0, `${Object.keys(access).length} functions use exactly what they may.`])
  })

  test('fails on a use that is not granted, and on a grant that is not used', () => {
    const [first = '', ...others] = exact
    const [name, ...use] = first.split(' ')
    const idle = `${name} may do ${use.join(' ')}, which this run has not used`
    expect(compare([...others, `${name} dynamodb:Scan Table`])).toEqual([
      1,
      [`${name} uses dynamodb:Scan Table, which access.json does not name`, idle].join('\n'),
    ])
    expect(compare(others)).toEqual([1, idle])
  })
})

const bodiless = ['GET', 'DELETE']

/** Reading before writing, without a param where there is such a route. */
function plainest(keys: readonly string[]): string {
  const rank = (key: string) => (key.includes('{') ? 3 : 0) + ((bodiless.indexOf(key.split(' ')[0] ?? '') + 3) % 3)
  return keys.toSorted((a, b) => rank(a) - rank(b))[0] ?? ''
}
