import type { Runtime } from './aws/runtime.ts'
import { type Around, tokenOf } from './smoke.ts'
import { ask, good, signedIn } from './speaker.ts'

const PATH = '/data/user/me/'

/**
 * The identity provider is down. Who shows a token of it is asked to come again (503 with Retry-After), and not told that the token is bad.
 * Our own tokens and keys go on. `stop` ends the provider. Returns what went wrong.
 */
export async function deadProvider(
  runtime: Runtime,
  origin: string,
  { idp }: Around,
  stop: () => Promise<void>,
): Promise<string[]> {
  const failed: string[] = []
  const dev = await signedIn(origin, 'dev')
  const wish = { name: 'For the rehearsal', scopes: ['read'] }
  const key = String(good(await dev('POST', '/api/user/keys/', wish)).body.token)
  const token = await tokenOf(idp, 'known0@example.org')
  const before = runtime.errors.length
  await stop()
  const asked = async (bearer: string) => ask(origin, 'GET', PATH, { headers: { authorization: `Bearer ${bearer}` } })
  const { status, wait } = await asked(token)
  if (status !== 503 || !(wait > 0))
    failed.push(`a dead provider: its token is answered ${status}, to be sent again after ${wait} s`)
  for (const answer of [await dev('GET', PATH), await asked(key), await ask(origin, 'GET', '/cidoc/structures/')])
    if (answer.status !== 200) failed.push(`a dead provider: others get ${answer.status}`)
  if (!runtime.errors.slice(before).some((it) => it.includes('"dependency":"identity provider"')))
    failed.push('a dead provider: no line of the log names it')
  return failed
}
