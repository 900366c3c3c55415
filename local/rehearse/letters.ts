import { setTimeout as sleep } from 'node:timers/promises'
import type { Caught, MailCatcher } from '../service/mail-catcher.ts'
import { visit, type World } from './background.ts'
import { ask, good, signedIn } from './speaker.ts'

/**
 * Someone asks for letters, answers the question whether the address is theirs, is told of what they contribute, and stops it by
 * the link of the letter. Answers what went wrong.
 */
export async function letters(world: World, origin: string, mail: MailCatcher): Promise<string[]> {
  try {
    const dev = await signedIn(origin, 'dev')
    good(await dev('PUT', '/data/notifications/letters/', { mode: 'at_once' }))
    const question = await caught(world, mail, 'Is this your address?')
    await follow(origin, question)
    good(await dev('POST', '/cidoc/structures/', { name: 'A temple of letters' }))
    const letter = await caught(world, mail, 'A temple of letters')
    await follow(origin, letter)
    const { body } = good(await dev('GET', '/data/notifications/letters/'))
    return body.mode === 'off' ? [] : ['the link of a letter does not stop letters']
  } catch (error) {
    return [`letters: ${error instanceof Error ? error.message : error}`]
  }
}

/** The letter that says this, once it has been sent. What it tells of comes to the inbox by the stream. */
async function caught(world: World, mail: MailCatcher, words: string): Promise<Caught> {
  const schedules = world.stack.schedules().filter(({ target }) => target.endsWith('-letters'))
  for (let turn = 0; turn < 60; turn += 1) {
    for (const schedule of schedules)
      if (!(await visit(world, schedule))) throw new Error(`${schedule.target} fails by its schedule`)
    const found = mail.caught.find(({ subject, text }) => `${subject} ${text}`.includes(words))
    if (found) return found
    await sleep(500)
  }
  throw new Error(`no letter says "${words}"`)
}

/** Does what the link of a letter leads to, without signing in. */
async function follow(origin: string, { text }: Caught): Promise<void> {
  const { pathname, search } = new URL(/https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '')
  good(await ask(origin, 'GET', pathname + search))
  good(await ask(origin, 'POST', pathname + search, { body: {} }))
}
