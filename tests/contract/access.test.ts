import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { identifiesCallers } from '../../deploy/policies.ts'
import { events } from '../../deploy/routes.ts'
import type { Route } from '../../lib/platform/http/route.ts'
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
    const { loadUserByEmail } = await import('../../lib/platform/users/users.ts')
    const email = `${name}@example.org`
    expect(await loadUserByEmail(email)).toBeUndefined()
    await comeTo(name, email)
    expect((await loadUserByEmail(email))?.email).toBe((await looksWhoCalls(name)) ? email : undefined)
  })
})

// Then the provider completes the name, and the entry under the shorter one goes.
describe('a caller who has registered may come with the provider’s token to any function', () => {
  test.each(Object.keys(events))('%s', async (name) => {
    const { createUserNamedAfterEmail, loadUser } = await import('../../lib/platform/users/users.ts')
    const { inUnit } = await import('../../lib/platform/unit-of-work.ts')
    const email = `registered.${name}@example.org`
    const { id } = await inUnit((unit) => createUserNamedAfterEmail(unit, { email, first_name: 'Hari' }))
    expect(await entriesOf(id)).toContain('hari')
    await comeTo(name, email)
    const looks = await looksWhoCalls(name)
    expect((await loadUser(id))?.last_name).toBe(looks ? 'Heritage' : '')
    expect((await entriesOf(id)).includes('hari')).toBe(!looks)
  })
})

test('the functions that look at their caller have the rights for it, and no others', async () => {
  const looking: string[] = []
  for (const name of Object.keys(events)) if (await looksWhoCalls(name)) looking.push(name)
  expect(functionNames().filter(identifiesCallers).sort()).toEqual(looking.sort())
})

/** Probes are the same for everybody, and their handlers are told of nobody. */
async function looksWhoCalls(name: string): Promise<boolean> {
  const { declarationOf } = await import('../../lib/platform/http/endpoint.ts')
  const { routes }: { routes: Record<string, Route> } = await import(`../../functions/${name}.ts`)
  return Object.values(routes).some((route) => !declarationOf(route).skipsIdentity)
}

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
  const { scan } = await import('../../lib/engines/table/scan.ts')
  const found = (await Array.fromAsync(scan(['entry']))).flat().filter((it) => String(it.pk).startsWith('NAME#user#'))
  return found.filter((it) => it.entity_id === id).map((it) => String(it.sk).split('#')[0] ?? '')
}

const bodiless = ['GET', 'DELETE']

/** Reading before writing, without a param where there is such a route. */
function plainest(keys: readonly string[]): string {
  const rank = (key: string) => ((bodiless.indexOf(key.split(' ')[0] ?? '') + 3) % 3) * 2 + (key.includes('{') ? 1 : 0)
  return keys.toSorted((a, b) => rank(a) - rank(b))[0] ?? ''
}
