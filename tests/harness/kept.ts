/**
 * Makes something once for all files that a process runs. Each of them loads its modules anew (`fresh.ts`), but this is kept: what takes
 * long to make, and is the same for all.
 */
export function keptByProcess<T>(name: string, make: () => T): T {
  const { kept = new Map() }: Shared = globalThis
  if (!kept.has(name)) kept.set(name, make())
  Object.assign(globalThis, { kept })
  return kept.get(name) as T
}

type Shared = { console: Console; kept?: Map<string, unknown> }
