import { buildTogether } from '../../deploy/packages/build.ts'
import { root } from '../../deploy/root.ts'
import { loadFunctions } from '../../deploy/stack.ts'

/** The functions that a server of one's own runs. No request needs the dispatcher: the gateway here knows each path's group. */
export const servedFunctions = (): string[] => Object.keys(loadFunctions()).filter((name) => name !== 'dispatcher')

/** Builds the functions. Returns the file of each, below the folder of the project. */
export const buildServed = (): Promise<Record<string, string>> => buildTogether(root, 'serve')

if (import.meta.main) await buildServed()
