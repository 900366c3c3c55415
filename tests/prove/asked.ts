import type { Look } from './looks.ts'

/** What a process that takes waits out is asked, by the number of the wait, and what it tells: at which case it is, and what it has found wrong. */
export type Asked = { number: number; looks: readonly Look[]; seed: number }
export type Told = { at: Look } | { found?: string | undefined }
/** No wait has this number: what is found then is found without a cut. */
export const NONE = -1
