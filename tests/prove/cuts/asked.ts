import type { Share } from '../report.ts'
import type { Look } from './looks.ts'
import type { Reached } from './reach.ts'

/**
 * What a process that takes cuts out is asked: to look at one, by its number, or which cases come by each, calmly or where something
 * fails. What it tells: at which case it is; what it has found wrong; which cases come by.
 */
export type Trial = { number: number; looks: readonly Look[]; seed: number }
export type Asked = Trial | { reach: 'calmly' | 'in trouble'; seed: number; share: Share }
export type Told = { at: Look } | { found?: string | undefined } | { reached: Reached }
