import list from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' }
import { once } from '../../base/once.ts'

/** The 49,000 most common passwords that leaks have shown, in lower case. The module is loaded when a password is chosen. */
export const commonPasswords: () => ReadonlySet<string> = once(() => new Set(list))
