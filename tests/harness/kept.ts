/**
 * Makes something once for all files that a process runs. Each of them loads its modules anew (`fresh.ts`), but this is kept: what takes
 * long to make, and is the same for all.
 */
export function keptByProcess<T>(name: string, make: () => T): T {
  const shared: typeof globalThis & { kept?: Map<string, unknown> } = globalThis
  shared.kept ??= new Map()
  if (!shared.kept.has(name)) shared.kept.set(name, make())
  return shared.kept.get(name) as T
}
