import * as v from 'valibot'

/** Whether a text is a single email address: ASCII on one line, without characters that could begin another header or address. */
export const isSendable = (email: string): boolean => /^[!-~]{1,254}$/.test(email) && v.is(Address, email)
const Address = v.pipe(v.string(), v.email(), v.regex(/^[^,;:<>"()[\]\\]+$/))
