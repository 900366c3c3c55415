import type { Say } from '../../base/language/catalogue.ts'
import { phrase } from '../../base/language/languages.ts'
import { sayIn } from '../../base/language/say.ts'
import { loadUser, loadUserByEmail, type User } from '../../platform/users/users.ts'
import type { AccountLetter } from './account-letters.ts'
import { addressLink, passwordLink } from './links.ts'
import type { Mail } from './mail.ts'
import { isSendable } from './sendable.ts'

/** Composes a letter about an account as the account is now. Undefined if there is nothing to say any more. Three calls at most. */
export async function composeAccountLetter(letter: AccountLetter): Promise<Mail | undefined> {
  if (!isSendable(letter.email)) return undefined
  const user = letter.user_id === null ? await loadUserByEmail(letter.email) : await loadUser(letter.user_id)
  if (!user || (!user.is_active && letter.sort !== 'deactivated')) return undefined
  const words = await writers[letter.sort]({ letter, user, say: await sayIn(letter.language) })
  if (!words) return undefined
  const { subject, lines } = words
  return {
    to: letter.email,
    subject,
    text: lines.join('\n\n'),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type Given = { letter: AccountLetter; user: User; say: Say }
type Words = { subject: string; lines: readonly string[] }

const writers: Readonly<Record<AccountLetter['sort'], (given: Given) => Promise<Words | undefined>>> = {
  verify: async (given) => {
    const { letter, user, say } = given
    if (user.email_verified || user.email !== letter.email) return undefined
    const someone = say(phrase(`Someone, we think you, made the account ${user.username} with this address.`))
    return askForProof(given, someone)
  },

  new_address: async (given) => {
    const { user, say } = given
    return askForProof(given, say(phrase(`The account ${user.username} is to have this address.`)))
  },

  reset: async ({ letter, user, say }) => {
    const subject = say(phrase('Set a new password'))
    if (user.password === '' && user.email_verified) {
      const none = say(phrase(`The account ${user.username} has no password: sign in by your identity provider.`))
      return { subject, lines: [none] }
    }
    return {
      subject,
      lines: [
        say(phrase(`Someone, we think you, asked for a new password of the account ${user.username}.`)),
        `${say(phrase('If it was you, open this link within an hour:'))}\n\n${passwordLink(letter.origin, user)}`,
        say(phrase('If it was not, do nothing: the password stays as it is.')),
      ],
    }
  },

  address_changed: async ({ user, say }) => ({
    subject: say(phrase('Your address has changed')),
    lines: [
      say(phrase(`The account ${user.username} has another address now. Nothing comes here any more.`)),
      say(phrase('If it was not you, tell those who run this service.')),
    ],
  }),

  password_changed: async ({ user, say }) => ({
    subject: say(phrase('Your password has changed')),
    lines: [
      say(phrase(`The account ${user.username} has a new password, and all its sessions have ended. Its keys stay.`)),
      say(phrase('If it was not you, ask for a new password where you sign in.')),
    ],
  }),

  deactivated: async ({ letter, user, say }) => ({
    subject: say(phrase('Your account is closed')),
    lines: [
      say(phrase(`Those who run this service have closed the account ${user.username}. Their reason:`)),
      letter.reason,
    ],
  }),
}

/** Asks whether the address is the reader's. If the address belongs to a proven account already, the letter says so instead. */
async function askForProof({ letter, user, say }: Given, beginning: string): Promise<Words> {
  const owner = await loadUserByEmail(letter.email)
  if (owner?.email_verified && owner.id !== user.id)
    return {
      subject: say(phrase('You have an account already')),
      lines: [
        say(phrase('Someone, we think you, wants to use this address for an account.')),
        say(phrase(`It belongs to your account ${owner.username}. Sign in with that one.`)),
      ],
    }
  return {
    subject: say('Is this your address?'),
    lines: [
      beginning,
      `${say('If it was you, open this link within three days:')}\n\n${addressLink(letter.origin, user, letter.email)}`,
      say(phrase('If it was not, do nothing: the account does not get the address.')),
    ],
  }
}
