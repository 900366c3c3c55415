/** A JSON object. */
export type Json = { [member: string]: unknown }

export const isJson = (it: unknown): it is Json => typeof it === 'object' && it !== null && !Array.isArray(it)
