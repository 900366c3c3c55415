import { setTimeout as sleep } from 'node:timers/promises'
import type { Caught, MailCatcher } from '../stand-ins/mail-catcher.ts'
import { visit, type World } from './aws/background.ts'
import { ask, good, signedIn } from './speaker.ts'

/** Two people, and when each wants letters. `isDue` makes a waiting letter due. */
const readers = [
  { username: 'dev', mode: 'at_once', isDue: async () => undefined },
  { username: 'other', mode: 'daily', isDue: () => aDayLater() },
]

/** Two people get letters, and stop them by the link in the letter. Returns what went wrong. */
export async function letters(world: World, origin: string, mail: MailCatcher): Promise<string[]> {
  const failed: string[] = []
  for (const reader of readers)
    await letter({ world, origin, mail }, reader).catch((error: unknown) =>
      failed.push(`letters, ${reader.mode}: ${error instanceof Error ? error.message : error}`),
    )
  return failed
}

type Post = { world: World; origin: string; mail: MailCatcher }

/**
 * Someone asks for letters, and confirms an address that is not proven. They contribute a record, get a letter about it, and stop letters by the link
 * in it.
 */
async function letter(post: Post, { username, mode, isDue }: (typeof readers)[number]): Promise<void> {
  const { origin } = post
  const who = await signedIn(origin, username)
  const { body: wanted } = good(await who('PUT', '/data/notifications/letters/', { mode }))
  const to = String(wanted.email)
  // A proven address is asked for nothing.
  if (wanted.obstacle === 'unconfirmed') await follow(origin, await waitForLetter(post, to, 'Is this your address?'))
  const name = `A temple of letters, told ${mode}`
  good(await who('POST', '/cidoc/structures/', { name }))
  await follow(origin, await waitForLetter(post, to, name, isDue))
  const { body } = good(await who('GET', '/data/notifications/letters/'))
  if (body.mode !== 'off') throw new Error('the link does not stop them')
}

/** Waits for a letter to `to` that contains `words`. Its notification is made from the stream, so it takes a moment. */
async function waitForLetter(
  { world, mail }: Post,
  to: string,
  words: string,
  isDue: () => Promise<void> = async () => undefined,
): Promise<Caught> {
  const schedules = world.stack.schedules().filter(({ target }) => target.endsWith('-letters'))
  for (let turn = 0; turn < 60; turn += 1) {
    await isDue()
    for (const schedule of schedules)
      if (!(await visit(world, schedule))) throw new Error(`${schedule.target} fails by its schedule`)
    const found = mail.caught.find((it) => it.to === to && `${it.subject} ${it.text}`.includes(words))
    if (found) return found
    await sleep(500)
  }
  throw new Error(`no letter says "${words}"`)
}

/** Makes all waiting letters due, as if a day had passed. */
async function aDayLater(): Promise<void> {
  const [{ walk }, { putItems }, { DUE }] = await Promise.all([
    import('../../lib/engines/table/read.ts'),
    import('../../lib/engines/table/write.ts'),
    import('../../lib/domain/notifications/items.ts'),
  ])
  const waiting = await walk({ index: 'gsi2', pk: DUE, forward: true, limit: 50 })
  const due_at = '2020-01-01T00:00:00.000Z'
  await putItems(waiting.map((it) => ({ ...it, mailing: { ...Object(it.mailing), due_at } })))
}

/** Opens the link of a letter and sends its form, without signing in. */
async function follow(origin: string, { text }: Caught): Promise<void> {
  const { pathname, search } = new URL(/https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '')
  good(await ask(origin, 'GET', pathname + search))
  good(await ask(origin, 'POST', pathname + search, { body: {} }))
}
