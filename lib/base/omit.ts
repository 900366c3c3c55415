/** Returns a copy of an object without some of its members. */
export function omit<T extends object, const Name extends keyof T & string>(
  value: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) if (!names.some((it) => it === name)) copy[name] = member
  return copy as Omit<T, Name>
}
