import { newAccessRecord } from '../../deploy/access/judge.ts'
import { localIdentity, roleResources, rolesFor } from '../../deploy/access/local-roles.ts'
import { type Caught, type Fate, startMailCatcher } from '../../deploy/stand-ins/mail-catcher.ts'

/** A mail service that catches letters, and the visits of the function that sends them. */
export type Mailbox = {
  /** The environment of an app whose letters are caught. */
  env: Record<string, string>
  /** Sends what is due, in as many visits as it takes. Returns the letters of these visits. */
  fetch: () => Promise<Caught[]>
  /** Decides what becomes of letters from now on. */
  setFate: (fate: (letter: Caught) => Fate) => void
  stop: () => Promise<void>
}

/** Opens a mailbox. The function for letters signs with its own role, and nothing more. */
export async function openMailbox(): Promise<Mailbox> {
  let fate: (letter: Caught) => Fate = () => 'taken'
  const roles = rolesFor(roleResources(['letters']), { table: 'none', bucket: 'none' })
  const catcher = await startMailCatcher({
    identity: localIdentity,
    access: { roles: () => new Map([...roles, ['local', roles.get('letters') ?? []]]), record: newAccessRecord() },
    fate: (letter) => fate(letter),
  })
  return {
    env: {
      ...{ SES_ENDPOINT: catcher.endpoint, LETTERS_SENDER: `Heritage <letters@${localIdentity}>` },
      ...{ AWS_ACCESS_KEY_ID: 'letters', AWS_SECRET_ACCESS_KEY: 'local', LETTERS_PER_MINUTE: '120' },
    },
    fetch: async () => {
      const { handler } = await import('../../functions/letters.ts')
      const before = catcher.caught.length
      await handler()
      return catcher.caught.slice(before)
    },
    setFate: (next) => {
      fate = next
    },
    stop: () => catcher.stop(),
  }
}

/** The path and query of the link in a letter. Fails if there is none. */
export function linkIn(letter: Pick<Caught, 'text'> | undefined): string {
  const { pathname, search } = new URL(/https?:\/\/\S+token=\S+/.exec(letter?.text ?? '')?.[0] ?? '')
  return pathname + search
}

/** The path of a link with tokens that nobody was sent: one whose letter in the middle is another, since the last says little, and a short one. */
export const withForgedTokens = (path: string): string[] => [
  path.replace(/(?<=token=.{20})./, (it) => (it === 'x' ? 'y' : 'x')),
  path.replace(/token=.*/, 'token=x'),
]
