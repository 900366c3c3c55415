import list from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' }
import { once } from '../../base/once.ts'

/** The most common passwords that leaks have shown, 49,000 of them in lower case. The module is loaded when a password is chosen. */
export const commonPasswords: () => ReadonlySet<string> = once(() => new Set(list))
